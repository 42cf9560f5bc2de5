package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// sshBootstrap runs the bootstrap line on a server from the operator's machine.
type sshBootstrap struct {
	target, identity, fingerprint string

	host   string
	client *ssh.Client
}

func (b *sshBootstrap) flags(c *cobra.Command) {
	c.Flags().StringVar(&b.target, "ssh", "", "run the line over SSH: root@10.0.0.5, or an account with passwordless sudo")
	c.Flags().StringVar(&b.identity, "identity", "", "private key file for --ssh, default the SSH agent and the usual files")
	c.Flags().StringVar(&b.fingerprint, "host-key-fingerprint", "", "accept this host key without asking (SHA256:…)")
}

// dial connects and has the host key accepted by known_hosts, a given fingerprint or the person.
func (b *sshBootstrap) dial(s *Session) error {
	name, address, ok := strings.Cut(b.target, "@")
	if !ok {
		name, address = "root", b.target
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = strings.Trim(address, "[]"), "22"
	}
	ips, err := net.LookupIP(host)
	if err != nil || len(ips) == 0 {
		return &ExitError{CodeUsage, fmt.Sprintf("the address of %s is not known", host)}
	}
	b.host = ips[0].String()
	auth, err := b.auth()
	if err != nil {
		return err
	}
	b.client, err = ssh.Dial("tcp", net.JoinHostPort(host, port), &ssh.ClientConfig{User: name, Auth: auth, Timeout: 15 * time.Second,
		HostKeyAlgorithms: []string{ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
		HostKeyCallback: func(hostname string, remote net.Addr, key ssh.PublicKey) error {
			return b.accept(s, hostname, remote, key)
		}})
	if err != nil {
		return fmt.Errorf("connect to %s: %w", b.target, err)
	}
	return nil
}

func (b *sshBootstrap) close() {
	if b.client != nil {
		_ = b.client.Close()
	}
}

func (b *sshBootstrap) auth() ([]ssh.AuthMethod, error) {
	files := []string{b.identity}
	if b.identity == "" {
		files = nil
		if home, err := os.UserHomeDir(); err == nil {
			for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
				files = append(files, filepath.Join(home, ".ssh", name))
			}
		}
	}
	var signers []ssh.Signer
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			if b.identity != "" {
				return nil, fmt.Errorf("read the identity: %w", err)
			}
			continue
		}
		signer, err := ssh.ParsePrivateKey(raw)
		if err != nil {
			if b.identity != "" {
				return nil, fmt.Errorf("read the identity: %w", err)
			}
			continue
		}
		signers = append(signers, signer)
	}
	methods := []ssh.AuthMethod{ssh.PublicKeys(signers...)}
	if socket := os.Getenv("SSH_AUTH_SOCK"); socket != "" && b.identity == "" {
		if conn, err := net.Dial("unix", socket); err == nil {
			methods = append([]ssh.AuthMethod{ssh.PublicKeysCallback(agent.NewClient(conn).Signers)}, methods...)
		}
	}
	return methods, nil
}

func (b *sshBootstrap) accept(s *Session, hostname string, remote net.Addr, key ssh.PublicKey) error {
	got := ssh.FingerprintSHA256(key)
	if b.fingerprint != "" {
		if got != b.fingerprint {
			return fmt.Errorf("the host key is %s, not %s", got, b.fingerprint)
		}
		return nil
	}
	if u, err := user.Current(); err == nil {
		if check, err := knownhosts.New(filepath.Join(u.HomeDir, ".ssh", "known_hosts")); err == nil {
			var unknown *knownhosts.KeyError
			err := check(hostname, remote, key)
			if err == nil {
				return nil
			}
			if errors.As(err, &unknown) && len(unknown.Want) > 0 {
				return fmt.Errorf("the host key %s is not the one in known_hosts", got)
			}
		}
	}
	_, _ = fmt.Fprintf(s.err, "The host key of %s is %s.\nIs that right (yes/no)? ", hostname, got)
	if readLine(s.in) != "yes" {
		return errors.New("the host key was not accepted")
	}
	return nil
}

// run runs the line as root.
func (b *sshBootstrap) run(s *Session, line string) error {
	session, err := b.client.NewSession()
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	// The line is Hostler's own and goes to a shell's standard input, so that nothing of it stands in an argument list.
	session.Stdin = strings.NewReader(line + "\n")
	var out bytes.Buffer
	session.Stdout, session.Stderr = &out, &out
	shell := "bash -s"
	if b.client.User() != "root" {
		shell = "sudo -n bash -s"
	}
	err = session.Run(shell)
	_, _ = fmt.Fprint(s.err, plain(out.String()))
	return err
}
