// etcd's own concurrency.Mutex by etcd's own client, as a client of `hapax bench` (bench/worker.cc says how they talk).
//
//	etcd_worker ENDPOINTS NAME SECONDS [SHARED]
//	etcd_worker ENDPOINTS NAME hold [COUNT]
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) != 4 && len(os.Args) != 5 {
		log.Fatal("usage: etcd_worker ENDPOINTS NAME SECONDS [SHARED]")
	}
	holds, ttl := os.Args[3] == "hold", 10
	if holds {
		ttl = 1 // As short as the others': etcd makes of it what it allows.
	}
	if holds && len(os.Args) == 5 {
		holdMany()
		return
	}
	var shared []byte // When the last one released, and who it was.
	if len(os.Args) == 5 {
		file, err := os.OpenFile(os.Args[4], os.O_RDWR, 0)
		check(err)
		shared, err = syscall.Mmap(int(file.Fd()), 0, 16, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		check(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Args[1], ","), DialTimeout: 5 * time.Second})
	check(err)
	session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
	check(err)
	mutex := concurrency.NewMutex(session, os.Args[2])
	told := bufio.NewReader(os.Stdin)
	if holds {
		fmt.Println("ready")
		_, err = told.ReadString('\n')
		check(err)
		check(mutex.Lock(context.Background()))
		fmt.Printf("{\"entered_ns\": %d}\n", now())
		told.ReadString('\n')
		return
	}
	seconds, err := strconv.ParseFloat(os.Args[3], 64)
	check(err)
	check(mutex.Lock(context.Background()))
	check(mutex.Unlock(context.Background()))
	fmt.Println("ready")
	_, err = told.ReadString('\n')
	check(err)
	var waits, handOffs []float64
	self := uint64(os.Getpid())
	begun := now()
	end := begun + int64(seconds*1e9)
	for asked := begun; asked < end; asked = now() {
		check(mutex.Lock(context.Background()))
		inside := now()
		waits = append(waits, float64(inside-asked)/1e3)
		if shared != nil {
			if by := binary.LittleEndian.Uint64(shared[8:]); by != 0 && by != self {
				handOffs = append(handOffs, float64(inside-int64(binary.LittleEndian.Uint64(shared)))/1e3)
			}
			binary.LittleEndian.PutUint64(shared[8:], self)
			binary.LittleEndian.PutUint64(shared, uint64(now()))
		}
		check(mutex.Unlock(context.Background()))
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"entries": len(waits), "seconds": float64(now()-begun) / 1e9, "p50_us": at(waits, 0.5), "p99_us": at(waits, 0.99),
		"hand_off_p50_us": at(handOffs, 0.5), "hand_off_p99_us": at(handOffs, 0.99),
	}))
}

// NAME-0 … all at once, by one session.
func holdMany() {
	count, err := strconv.Atoi(os.Args[4])
	check(err)
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Args[1], ","), DialTimeout: 5 * time.Second})
	check(err)
	session, err := concurrency.NewSession(client, concurrency.WithTTL(60))
	check(err)
	const lanes = 256 // etcd commits together what comes together.
	var all sync.WaitGroup
	for lane := 0; lane < lanes; lane++ {
		all.Add(1)
		go func(first int) {
			defer all.Done()
			for i := first; i < count; i += lanes {
				check(concurrency.NewMutex(session, fmt.Sprintf("%s-%d", os.Args[2], i)).Lock(context.Background()))
			}
		}(lane)
	}
	all.Wait()
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadString('\n')
}

// The clock that the other workers go by.
func now() int64 {
	var t unix.Timespec
	check(unix.ClockGettime(unix.CLOCK_MONOTONIC, &t))
	return t.Nano()
}

func at(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sort.Float64s(values)
	return values[int(share*float64(len(values)-1))]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
