// Package lab is the laboratory in a browser: pages that show a process, train a model
// next to the exact truth, and look inside it.
//
// Pages know one boundary, the [Engine]. They ask it a [Question], such as [Floor] or
// [Predict], and get the value that a command prints with --json; each question names
// this command. A [Cloud] of points is answered in binary, because there may be 100,000.
// A training run, and the recomputation of a report, is a process of the same program;
// the engine reads the run's folder while it is written, so that who watches changes no
// bit.
//
// [Server] is the engine's backend over HTTP, with one stream of events for each page.
// Every request passes one gate first. The pages are in package web, below.
//
//	engine, err := lab.New(lab.Folders{Runs: "runs", Reports: "reports"}, "/usr/local/bin/foretell")
//	listener, err := net.Listen("tcp", "127.0.0.1:0")
//	hosts := lab.HostsOf(listener.Addr())
//	err = lab.NewServer(engine, token, hosts).Serve(ctx, listener)
package lab
