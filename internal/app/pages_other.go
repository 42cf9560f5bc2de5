//go:build !linux

package app

func releasePages() {}
