package hostile

import "strings"

// numbers are replacements for a number.
var numbers = []string{
	"", " ", "0", "-0", "-1", "+3", "010", "0x10", "0b1", "0o7", "1_000", "1.5", ".5", "5.", "1e3", "1e-320", "1e309",
	"-1e309", "NaN", "nan", "inf", "-Inf", "١٢", "Ⅳ", "１２", "1048577", "2147483648", "-2147483649", "4294967296",
	"9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616",
	"99999999999999999999999999999999999999", "1,2", "1;2", "3 4", "0.1.2", "--", "1" + strings.Repeat("0", 400),
}

// texts are replacements for a name or a word.
var texts = []string{
	"\n", "\r", "\t", "\x1b[2J", "\x1b]0;title\x07", "\x07", "\x7f", "\xff", "\xc3\x28", "\xed\xa0\x80",
	"\u202egnp.exe",
	"\u2066x", "\u200b", "\ufeff", "e\u0301", "👩‍👩‍👧", "𝔪𝔢𝔰𝔰𝟛", "ｍess3", "mess3\x01", "Mess3 ", "'", "\"", "`id`",
	"$(id)", "%s%n%d",
	"%!d(string=x)", "{}", "[]", "null", "~", "true", "*", "?", "#", "=", "==", "a=b=c", "@", "@@", "!", "|", "&",
	";", "<", ">", "\\", "\\x00",
	"-", "--", "-x", "--unknown", "--json", "-h=1", "..", "../../../x", strings.Repeat("a", 4097),
	strings.Repeat("ä", 100_000),
	strings.Repeat("a ", 50_000), strings.Repeat("\n", 10_000), strings.Repeat("0,", 50_000), strings.Repeat("0,",
		20_000) + "7",
}

// documents are replacements for a value in YAML.
var documents = []string{
	"{", "}", "[", "]", "{a", "{a:", "[1", "[1,", "{a: b: c}", "a: b", "- a\n- b", "? x", "a[", "<<",
	"{<<: {a: 1}}", "!!binary x",
	"!!int 3", "!x y", "&a [*a]", "*a", "&a 1", "|", ">", "|\n x", "---\na: 1\n---\nb: 2", "\"\\x", "'", "0e1",
	"1e3", "0o17", "0x1F", "1:30:00",
	"2020-01-01", "yes", ".inf", "-.INF", ".nan", "{1: 2}", "{[a]: b}", "{a: 1, a: 2}", strings.Repeat("[", 1000),
	strings.Repeat("{a: ", 1000),
	strings.Repeat("- ", 1000), strings.Repeat("? ", 1000), strings.Repeat("a:", 5000), strings.Repeat("a.",
		3000) + "=1",
	"[" + strings.Repeat("[1],", 20_000) + "]", "[" + strings.Repeat("0.5,", 25_000) + "1]",
	"{" + strings.Repeat("a: 1, ", 15_000) + "}",
}

// paths are replacements for a file to read.
var paths = []string{
	"/dev/zero", "/dev/null", "/dev/full", "/dev/urandom", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/fd/0",
	"/dev/fd/99", "/proc/self/mem",
	"/proc/self/environ", "/proc/self/maps", "/proc/kcore", "/proc/self/fd", "/proc/self/exe", "/sys", "/", ".",
	"..", "./", "missing",
	"missing/", "c.yaml/", "c.yaml/x", "folder", "empty", "fifo", "link-to-fifo", "loop", "dangling", "socket",
	"sparse", "sparse.yaml",
	"endless-line.yaml", "binary.yaml", "null.yaml", "wide.yaml", "deep.yaml", "process.yaml", "run", "run/",
	"run/config.yaml",
	"run/checkpoints", "run/checkpoints/step-2", "run/checkpoints/step-2/model.safetensors",
	"run/checkpoints/step-99",
	"run/checkpoints/step-2/state.json", "run/metrics.jsonl", "bare", "bare/model.safetensors", "torn",
	"huge-header", "huge-shape",
	"sparse-weights", "zero-weights", "fifo-weights", "fifo-config", "wide-context", "wide-vocabulary",
	"nan-weights", "no-checkpoint",
	"sparse-state", "fifo-state", "sparse-log", "fifo-log", "odd\nname.yaml", "-.yaml", "--.yaml",
	strings.Repeat("x/", 2100), strings.Repeat("y", 256),
	"craft:", "craft:coin", "craft:../coin", "craft:\n",
}

// outputs are replacements for a file or folder to write. None of them harms a user who
// runs the tests as root.
var outputs = []string{
	"", "/dev/full", "/dev/null", "/dev/null/x", "/proc/x", "/proc/self/x", "new", "new/", "new/a/b/c", "c.yaml",
	"c.yaml/x", "folder", "full",
	"fifo", "loop", "dangling", "link-to-folder", "run", "run/config.yaml", "run/checkpoints",
	"run/metrics.jsonl", "bare", ".", "./.",
	"odd\nnew", "\x1b[31mnew", "\u202enew", "\xffnew", strings.Repeat("z", 256), strings.Repeat("w/", 2100),
	"new.svg", "new.html", "new.tex",
	"new.pdf", "new.", ".new", "new\\x",
}

// atFiles are values of parameters that are read from files.
var atFiles = []string{
	"@", "@@", "@missing", "@folder", "@fifo", "@link-to-fifo", "@loop", "@socket", "@sparse", "@/dev/zero",
	"@/dev/null", "@/dev/stdin", "@/proc/self/mem",
	"@/proc/self/environ", "@c.yaml", "@half.json", "@half.json\n", "@deep.json", "@long.json", "@binary.yaml",
	"@odd\nname.yaml", "@../x",
}
