package host

import "context"

// Command runs a command on the connection of the server's agent session, as deliveries do.
func (f *Fleet) Command(ctx context.Context, t Target, command string) (int, error) {
	sess, _, err := f.session(ctx, t)
	if err != nil {
		return 0, err
	}
	defer sess.conn.release()
	_, exit, err := sess.conn.run(ctx, command, nil, 1<<10)
	return exit, err
}
