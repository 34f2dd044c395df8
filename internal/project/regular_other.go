//go:build !unix

package project

// withoutWaiting is nothing where folders hold no named pipes.
const withoutWaiting = 0
