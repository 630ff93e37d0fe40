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

// Memory returns the bytes of memory that this process can have: those of the machine, of
// the control group that it runs in, or of the address space that it was given or that
// its pointers reach, whichever is least; 0 where nothing says. It is a float64, because
// an int of 32 bits cannot count them.
var Memory = sync.OnceValue(func() float64 {
	return least(total("/proc/meminfo"), group("/sys/fs/cgroup/memory.max"),
		group("/sys/fs/cgroup/memory/memory.limit_in_bytes"), addressSpace(), reach())
})

// least returns the least of the numbers that are known.
func least(numbers ...float64) float64 {
	found := 0.0
	for _, n := range numbers {
		if n > 0 && (found == 0 || n < found) {
			found = n
		}
	}
	return found
}

// total reads MemTotal of the kernel's table, in kB.
func total(path string) float64 {
	for _, line := range lines(path) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
			kilobytes, _ := strconv.ParseFloat(fields[1], 64)
			return 1024 * kilobytes
		}
	}
	return 0
}

// group reads the limit of a control group, a number of bytes or "max".
func group(path string) float64 {
	list := lines(path)
	if len(list) == 0 {
		return 0
	}
	n, _ := strconv.ParseFloat(strings.TrimSpace(list[0]), 64)
	return n
}

// lines reads a file of the kernel's, none if there is no such file.
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

// reach is what pointers of 32 bits reach, of which the system keeps a part; 0, as good
// as no bound, where they are longer.
func reach() float64 {
	if math.MaxInt > math.MaxInt32 {
		return 0
	}
	return math.MaxInt32
}
