package web_test

import (
	"fmt"
	"io/fs"
	"net/http"

	"foretell/lab/web"
)

func Example() {
	names, err := fs.Glob(web.Files, "*")
	if err != nil {
		panic(err)
	}
	fmt.Println(names)
	http.Handle("/", http.FileServerFS(web.Files))
	// Output: [LICENSES.txt app.css app.js index.html worker.js]
}
