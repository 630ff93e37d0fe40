//go:build linux && (riscv64 || loong64)

package fault

// callRenameat is an unused number: these architectures have only renameat2.
const callRenameat = 1 << 62
