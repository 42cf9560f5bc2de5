// Command peer runs on practice servers for the tests: a server that keeps sending, and clients that report what they see, and when.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: peer serve ADDRESS | stream ADDRESS FOR | dial ADDRESS FOR | hold FILE FOR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run(mode, address string, rest []string) error {
	if mode == "serve" {
		return serve(address)
	}
	length := 30 * time.Second
	if len(rest) > 0 {
		var err error
		if length, err = time.ParseDuration(rest[0]); err != nil {
			return err
		}
	}
	if mode == "hold" {
		return hold(address, length)
	}
	end := time.Now().Add(length)
	if mode == "stream" {
		return stream(address, end)
	}
	return dial(address, end)
}

// hold locks a file like dpkg does.
func hold(file string, length time.Duration) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return err
	}
	fmt.Println("held", time.Now().UnixMilli())
	time.Sleep(length)
	return nil
}

// serve sends to every client every 10 ms, without end.
func serve(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			for {
				if _, err := c.Write([]byte("tick\n")); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
	}
}

// stream answers what it hears, so that both directions are needed, and prints when it heard something.
func stream(address string, end time.Time) error {
	c, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(end)
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		fmt.Println("heard", time.Now().UnixMilli())
		if _, err := c.Write([]byte("tock\n")); err != nil {
			break
		}
	}
	fmt.Println("end", time.Now().UnixMilli())
	return nil
}

// dial connects repeatedly, and prints how each try ended: when it began, and "ok" or "no".
func dial(address string, end time.Time) error {
	for time.Now().Before(end) {
		began := time.Now()
		c, err := net.DialTimeout("tcp", address, 250*time.Millisecond)
		word := "no"
		if err == nil {
			word = "ok"
			_ = c.Close()
		}
		fmt.Println(word, began.UnixMilli())
		time.Sleep(time.Until(began.Add(20 * time.Millisecond)))
	}
	return nil
}
