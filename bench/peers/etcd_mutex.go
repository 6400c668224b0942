// The peer of bench/engines: etcd's own concurrency.Mutex, by etcd's own client. A session and a connection each.
//
//	etcd_mutex ENDPOINTS CLIENTS SECONDS NAME
//
// CLIENTS 1: its own lock, again and again. More: all of them on one lock. Prints a line of JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: etcd_mutex ENDPOINTS CLIENTS SECONDS NAME")
	}
	clients, err := strconv.Atoi(os.Args[2])
	check(err)
	seconds, err := strconv.ParseFloat(os.Args[3], 64)
	check(err)
	var all sync.WaitGroup
	var mutex sync.Mutex
	var waits []float64 // Microseconds from asking to having.
	entries := make([]int, clients)
	begin := make(chan struct{})
	var end time.Time
	for i := 0; i < clients; i++ {
		client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Args[1], ","), DialTimeout: 5 * time.Second})
		check(err)
		session, err := concurrency.NewSession(client, concurrency.WithTTL(10))
		check(err)
		lock := concurrency.NewMutex(session, os.Args[4])
		all.Add(1)
		go func(i int) {
			defer all.Done()
			var own []float64
			<-begin
			for time.Now().Before(end) {
				asked := time.Now()
				check(lock.Lock(context.Background()))
				own = append(own, float64(time.Since(asked).Nanoseconds())/1e3)
				entries[i]++
				check(lock.Unlock(context.Background()))
			}
			mutex.Lock()
			waits = append(waits, own...)
			mutex.Unlock()
		}(i)
	}
	start := time.Now()
	end = start.Add(time.Duration(seconds * 1e9))
	close(begin)
	all.Wait()
	took := time.Since(start).Seconds()
	sort.Float64s(waits)
	at := func(share float64) float64 { return waits[int(share*float64(len(waits)-1))] }
	check(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"entries": len(waits), "per_second": float64(len(waits)) / took, "by_client": entries,
		"p50_us": at(0.5), "p99_us": at(0.99),
	}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
