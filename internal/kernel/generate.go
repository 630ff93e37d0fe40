package kernel

//go:generate go -C asm run . ..
