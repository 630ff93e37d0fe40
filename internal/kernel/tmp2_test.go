package kernel
import ("testing";"fmt")
func BenchmarkTg(b *testing.B) {
	r := newRand(1)
	x, y, z := normals[float32](r, 100000), normals[float32](r, 100000), normals[float32](r, 100000)
	for _, s := range [][4]int{{12,32,64,32},{12,16,64,16},{10,16,64,16},{10,10,64,16},{10,10,64,10},{8,16,64,16},{4,16,64,16},{2,16,64,16}} {
		m,n,k := s[0],s[1],s[2]
		b.Run(fmt.Sprint(s), func(b *testing.B) { onEachISA(b, func(b *testing.B) { for b.Loop() { Gemm(m,n,k,x,64,1,y,s[3],z,s[3],false) } }) })
	}
}
