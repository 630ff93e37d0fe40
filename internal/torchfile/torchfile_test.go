package torchfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/internal/needs"

	"pgregory.net/rapid"
)

func dict(pairs ...any) *Dict {
	d := &Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

func written(t testing.TB, value any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, value); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(data []byte) (any, error) { return Read(bytes.NewReader(data), int64(len(data))) }

// plain replaces the tensors of a value by what Write takes.
func plain(t testing.TB, value any) any {
	t.Helper()
	switch x := value.(type) {
	case *Dict:
		d := &Dict{Keys: x.Keys}
		for _, v := range x.Values {
			d.Values = append(d.Values, plain(t, v))
		}
		return d
	case *Tensor:
		data, err := x.Floats()
		if err != nil {
			t.Fatal(err)
		}
		return Floats{x.Shape, data}
	}
	return value
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &Dict{}
		for i, name := range rapid.SliceOfDistinct(rapid.String(), rapid.ID).Draw(rt, "names") {
			switch i % 5 {
			case 0:
				shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 3).Draw(rt, "shape")
				_, size := stridesOf(shape)
				d.Set(name, Floats{shape, rapid.SliceOfN(rapid.Float32(), size, size).Draw(rt, "data")})
			case 1:
				d.Set(name, rapid.Int().Draw(rt, "int"))
			case 2:
				d.Set(name, rapid.Float64().Draw(rt, "float"))
			case 3:
				d.Set(name, dict("inner", rapid.String().Draw(rt, "text"), "none", nil))
			case 4:
				d.Set(name, rapid.Bool().Draw(rt, "bool"))
			}
		}
		data := written(t, d)
		if !bytes.Equal(data, written(t, d)) {
			t.Error("two writes give different bytes")
		}
		got, err := read(data)
		if err != nil || fmt.Sprint(plain(t, got)) == "" || !reflect.DeepEqual(plain(t, got), any(d)) {
			t.Errorf("read %v, %v\nwant %v", got, err, d)
		}
	})
}

// python runs a program with a folder as its argument.
func python(t *testing.T, program, dir string) {
	t.Helper()
	if out, err := exec.Command(needs.Python(t, "torch"), "-c", program, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// PyTorch loads what we write, also where it may not run code, and shares what we share.
func TestTorchLoads(t *testing.T) {
	dir, shared := t.TempDir(), []float32{1, 2, 3, 4, 5, 6}
	data := written(t, dict("model", dict("a", Floats{[]int{2, 3}, shared}, "b", Floats{[]int{2, 3}, shared},
		"scalar", Floats{nil, []float32{-0.5}}, "none", Floats{[]int{0, 4}, nil}),
		"args", dict("n", 3, "large", 1<<40, "negative", -7, "name", "é", "bias", true, "nothing", nil)))
	if err := os.WriteFile(filepath.Join(dir, "x.pt"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	data = written(t, dict("rate", 0.1)) // PyTorch 1.13 reads no such number with weights_only
	if err := os.WriteFile(filepath.Join(dir, "float.pt"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	python(t, `
import sys, torch
assert torch.load(sys.argv[1] + "/float.pt") == dict(rate=0.1)
for only in (True, False):
    x = torch.load(sys.argv[1] + "/x.pt", weights_only=only)
    m = x["model"]
    assert m["a"].tolist() == [[1, 2, 3], [4, 5, 6]] and m["a"].dtype == torch.float32
    assert m["a"].data_ptr() == m["b"].data_ptr() != m["scalar"].data_ptr()
    assert m["scalar"].shape == () and m["scalar"].item() == -0.5 and m["none"].shape == (0, 4)
    assert x["args"] == dict(n=3, large=2**40, negative=-7, name="é", bias=True, nothing=None)
`, dir)
}

// What PyTorch saves is read: views, parameters, every floating-point type, the state of
// a module and of an optimiser.
func TestTorchSaved(t *testing.T) {
	dir := t.TempDir()
	python(t, `
import sys, torch
base = torch.arange(12, dtype=torch.float32).reshape(3, 4)
linear = torch.nn.Linear(3, 2)
with torch.no_grad(): linear.weight.copy_(torch.arange(6).reshape(2, 3)); linear.bias.zero_()
adam = torch.optim.AdamW(linear.parameters())
linear(torch.ones(1, 3)).sum().backward(); adam.step()
with torch.no_grad(): linear.weight.copy_(torch.arange(6).reshape(2, 3))
for protocol in (2, 4):
    torch.save(dict(turned=base.T, part=base[1:, 1:3], half=base.half(), bf=base.bfloat16(), double=base.double(),
        parameter=torch.nn.Parameter(base), state=linear.state_dict(), optimizer=adam.state_dict(), size=base.shape,
        loss=torch.tensor(0.25), whole=torch.tensor([1, 2]), list=[1, [2.5, "x"], (), {3: None}]),
        f"{sys.argv[1]}/{protocol}.pt", pickle_protocol=protocol)
`, dir)
	for _, name := range []string{"2.pt", "4.pt"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		value, err := read(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d := value.(*Dict)
		at := func(d any, key string) any { v, _ := d.(*Dict).Get(key); return v }
		for key, want := range map[string]string{
			"turned": "[4 3] [0 4 8 1 5 9 2 6 10 3 7 11]", "part": "[2 2] [5 6 9 10]",
			"half": "[3 4] [0 1 2 3 4 5 6 7 8 9 10 11]", "bf": "[3 4] [0 1 2 3 4 5 6 7 8 9 10 11]",
			"double": "[3 4] [0 1 2 3 4 5 6 7 8 9 10 11]", "parameter": "[3 4] [0 1 2 3 4 5 6 7 8 9 10 11]",
			"loss": "[] [0.25]",
		} {
			x := at(d, key).(*Tensor)
			if data, err := x.Floats(); err != nil || fmt.Sprint(x.Shape, data) != want {
				t.Errorf("%s: %s is %v %v, %v; want %s", name, key, x.Shape, data, err, want)
			}
		}
		if data, err := at(at(d, "state"), "weight").(*Tensor).Floats(); err != nil || fmt.Sprint(data) != "[0 1 2 3 4 5]" {
			t.Errorf("%s: a module's weight is %v, %v", name, data, err)
		}
		if _, err := at(d, "whole").(*Tensor).Floats(); err == nil || !strings.Contains(err.Error(), "type I64 is not") {
			t.Errorf("%s: whole numbers: %v", name, err)
		}
		list := at(d, "list").(*List).Items
		if inner := list[1].(*List).Items; list[0] != 1 || inner[0] != 2.5 || inner[1] != "x" {
			t.Errorf("%s: list %v", name, list)
		}
	}
}

// archiveOf returns an archive with this pickle and a storage of four numbers.
func archiveOf(t testing.TB, pickle string, change ...func(*zip.FileHeader)) []byte {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, m := range []member{{"data.pkl", []byte(pickle)}, {"data/0", make([]byte, 16)}} {
		h := &zip.FileHeader{Name: "x/" + m.name, Method: zip.Store}
		for _, f := range change {
			f(h)
		}
		w, err := archive.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tensorOf is a pickle of a tensor with this offset, shape and strides.
func tensorOf(elements, offset, shape, strides string) string {
	return "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000" +
		"X\x03\x00\x00\x00cpu" + elements + "tQ" + offset + shape + strides + "\x89ccollections\nOrderedDict\n)RtR."
}

// hostile are pickles that are refused, with the error of each.
var hostile = map[string]string{
	"":                                     "the pickle is cut off",
	"\x80":                                 "the pickle is cut off",
	".":                                    "an instruction without its values",
	"cos\nsystem\n(X\x02\x00\x00\x00idtR.": `it asks for "system" of "os", which could run code; save tensors, numbers and texts only`,
	"\x8c\x05posix\x8c\x06system\x93.":     `it asks for "system" of "posix"`,
	"cbuiltins\neval\n.":                   `it asks for "eval" of "builtins"`,
	"ctorch\nload\n.":                      `it asks for "load" of "torch"`,
	"ctorch.storage\n_load_from_bytes\n.":  "which could run code",
	"(ios\nsystem\n.":                      `the instruction 'i'`,
	"(cos\nsystem\no.":                     "which could run code",
	"ccollections\nOrderedDict\n)\x81.":    `the instruction '\u0081'`,
	"ccollections\nOrderedDict\nNR.":       `a call of "OrderedDict" that does not build`,
	"\x82\x01.":                            `the instruction '\u0082'`,
	"P0\n.":                                `the instruction 'P'`,
	"I1\n.":                                `the instruction 'I'`,
	"h\x00.":                               "an instruction without its values",
	"t.":                                   "an instruction without its values",
	"NNu.":                                 "an instruction without its values",
	"(N\x87.":                              "an instruction without its values",
	"X\xff\xff\xff\xffa.":                  "the pickle is cut off",
	"\x8d\xff\xff\xff\xff\xff\xff\xff\xff": "the pickle is cut off",
	"X\x01\x00\x00\x00\xff.":               "a text that is not UTF-8",
	"\x8a\x09aaaaaaaaa.":                   "a whole number of 9 bytes, want at most 8",
	"NQ.":                                  "a reference to something other than the elements of a tensor",
	strings.Repeat("c", 400):               "the pickle is cut off",
	tensorOf("K\x05", "K\x00", "K\x04\x85", "K\x01\x85"):                                   "data/0 has 16 bytes, want 5 elements of 4",
	tensorOf("K\x04", "K\x01", "K\x04\x85", "K\x01\x85"):                                   "a tensor of shape [4] and strides [1] that its 4 elements do not fill",
	tensorOf("K\x04", "K\x00", "K\x04\x85", "K\x02\x85"):                                   "a tensor of shape [4] and strides [2] that its 4 elements do not fill",
	tensorOf("K\x04", "K\x00", "J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86", "K\x00K\x00\x86"): "a tensor of shape [2147483647 2147483647] and strides [0 0] that its 4 elements do not fill",
	tensorOf("K\x04", "K\x00", "J\xff\xff\xff\xff\x85", "K\x01\x85"):                       "a tensor without storage, offset, shape and strides",
	tensorOf("K\x04", "K\x05", "K\x00\x85", "K\x01\x85"):                                   "a tensor of shape [0]",
}

func TestHostilePickles(t *testing.T) {
	for pickle, want := range hostile {
		value, err := read(archiveOf(t, pickle))
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q:\n got %v, %v\nwant %s", pickle, value, err, want)
		}
	}
	if x, err := read(archiveOf(t, tensorOf("K\x04", "K\x00", "K\x04\x85", "K\x01\x85"))); err != nil {
		t.Errorf("the tensor that the others are changed from: %v, %v", x, err)
	}
}

func TestOtherFiles(t *testing.T) {
	compressed := archiveOf(t, "N.", func(h *zip.FileHeader) { h.Method = zip.Deflate })
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":    {nil, "not an archive of torch.save (PyTorch 1.6 or later): zip: not a valid zip file"},
		"older":      {[]byte("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."), "not an archive of torch.save"},
		"compressed": {compressed, `its member "x/data.pkl" is compressed; torch.save does not compress`},
		"no pickle":  {archiveOf(t, "N.", func(h *zip.FileHeader) { h.Name += "x" }), "it has no data.pkl"},
	} {
		if _, err := read(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Any pickle is refused by an error on one line, or is a value whose tensors can be read.
func FuzzRead(f *testing.F) {
	for pickle := range hostile {
		f.Add([]byte(pickle))
	}
	f.Add([]byte(tensorOf("K\x04", "K\x00", "K\x02K\x02\x86", "K\x01K\x02\x86")))
	f.Add([]byte("}q\x00X\x01\x00\x00\x00a]q\x01(K\x01K\x02es."))
	f.Fuzz(func(t *testing.T, pickle []byte) {
		value, err := read(archiveOf(t, string(pickle)))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error %q", err)
			}
			return
		}
		if x, ok := value.(*Tensor); ok {
			if data, err := x.Floats(); err == nil && len(data) != x.Size() {
				t.Errorf("%d elements of shape %v", len(data), x.Shape)
			}
		}
	})
}
