//go:build ignore

// Makes pods through an API server, eight at a time; see throughput.py. The body of all comes from standard input.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
)

func main() {
	url, authority, certificate, key := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	count, err := strconv.Atoi(os.Args[5])
	check(err)
	body, err := io.ReadAll(os.Stdin)
	check(err)
	client := client(authority, certificate, key)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for number := range numbers {
				create(client, url, bytes.ReplaceAll(body, []byte("@name@"), fmt.Appendf(nil, "pod-%05d", number)))
			}
		})
	}
	for number := range count {
		numbers <- number
	}
	close(numbers)
	workers.Wait()
}

func client(authority, certificate, key string) *http.Client {
	pem, err := os.ReadFile(authority)
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	pair, err := tls.LoadX509KeyPair(certificate, key)
	check(err)
	config := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}}
}

func create(client *http.Client, url string, body []byte) {
	answer, err := client.Post(url, "application/json", bytes.NewReader(body))
	check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(err)
	if answer.StatusCode != http.StatusCreated {
		log.Fatalf("%s: %s", answer.Status, text)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
