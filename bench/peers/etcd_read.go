// A peer of bench/engines: a key of 100 bytes, read again and again by etcd's own client, linearizably.
//
//	etcd_read ENDPOINTS SECONDS
//
// Prints a line of JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/clientv3"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: etcd_read ENDPOINTS SECONDS")
	}
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	must(err)
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Args[1], ","), DialTimeout: 5 * time.Second})
	must(err)
	_, err = client.Put(context.Background(), "etcd_read", strings.Repeat("x", 100))
	must(err)
	var times []float64 // Microseconds.
	start := time.Now()
	end := start.Add(time.Duration(seconds * 1e9))
	for time.Now().Before(end) {
		asked := time.Now()
		_, err := client.Get(context.Background(), "etcd_read")
		must(err)
		times = append(times, float64(time.Since(asked).Nanoseconds())/1e3)
	}
	took := time.Since(start).Seconds()
	sort.Float64s(times)
	at := func(share float64) float64 { return times[int(share*float64(len(times)-1))] }
	must(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"entries": len(times), "per_second": float64(len(times)) / took, "p50_us": at(0.5), "p99_us": at(0.99),
	}))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
