//go:build linux && (riscv64 || loong64)

package fault

// callRenameat is a number that no call has: these architectures have renameat2 alone.
const callRenameat = 1 << 62
