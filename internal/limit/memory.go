package limit

import (
	"bufio"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Memory returns the memory in bytes that this process can have: the minimum of the
// machine's memory, the limit of its control group, its address space limit, and the
// range of its pointers; 0 if all are unknown. It is a float64, because a 32-bit int
// would overflow.
var Memory = sync.OnceValue(func() float64 {
	return least(total("/proc/meminfo"), group("/sys/fs/cgroup/memory.max"),
		group("/sys/fs/cgroup/memory/memory.limit_in_bytes"), addressSpace(), reach())
})

// least returns the smallest of the numbers that are not 0, which means unknown.
func least(numbers ...float64) float64 {
	found := 0.0
	for _, n := range numbers {
		if n > 0 && (found == 0 || n < found) {
			found = n
		}
	}
	return found
}

// total returns MemTotal from a file of the kernel, converted from kB to bytes.
func total(path string) float64 {
	for _, line := range lines(path) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
			kilobytes, _ := strconv.ParseFloat(fields[1], 64)
			return 1024 * kilobytes
		}
	}
	return 0
}

// group returns the memory limit of a control group, read from one of its files, which
// contains a number of bytes or "max". It returns 0 if there is no limit or no such file.
func group(path string) float64 {
	list := lines(path)
	if len(list) == 0 {
		return 0
	}
	n, _ := strconv.ParseFloat(strings.TrimSpace(list[0]), 64)
	return n
}

// lines returns the lines of a file of the kernel, or nil if it does not exist.
func lines(path string) (list []string) {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	for scanner := bufio.NewScanner(io.LimitReader(file, 64<<10)); scanner.Scan(); {
		list = append(list, scanner.Text())
	}
	return list
}

// reach returns the number of bytes that 32-bit pointers can address without the part
// that the system reserves, or 0 (no bound) if pointers are longer.
func reach() float64 {
	if math.MaxInt > math.MaxInt32 {
		return 0
	}
	return math.MaxInt32
}
