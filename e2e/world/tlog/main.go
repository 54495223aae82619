// Checks a folder of tlog-tiles with golang.org/x/mod: main FOLDER KEY [OLD CHECKPOINTS…]
package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Height of a tile, by tlog-tiles.
const height = 8

type folder string

func (folder) Height() int { return height }

func (folder) SaveTiles([]tlog.Tile, [][]byte) {}

// The path in tlog-tiles has no height.
func pathOf(tile tlog.Tile) string {
	return strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/data/", height), "tile/entries/", 1)
}

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
		bytes, err := os.ReadFile(filepath.Join(string(f), path))
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}

// Opens a signed checkpoint and reads the head of its tree.
func open(path string, verifier note.Verifier) (tlog.Tree, error) {
	var tree tlog.Tree
	bytes, err := os.ReadFile(path)
	if err != nil {
		return tree, err
	}
	signed, err := note.Open(bytes, note.VerifierList(verifier))
	if err != nil {
		return tree, err
	}
	lines := strings.Split(signed.Text, "\n")
	if lines[0] != verifier.Name() {
		return tree, fmt.Errorf("origin %q is not the name of the key", lines[0])
	}
	if tree.N, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return tree, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	copy(tree.Hash[:], root)
	return tree, err
}

// Reads the entries of a bundle: each behind its length in two bytes.
func entriesIn(bundle []byte) ([][]byte, error) {
	var entries [][]byte
	for len(bundle) > 0 {
		if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
			return nil, fmt.Errorf("a bundle is cut off")
		}
		end := 2 + int(binary.BigEndian.Uint16(bundle))
		entries = append(entries, bundle[2:end])
		bundle = bundle[end:]
	}
	return entries, nil
}

func check(args []string) (map[string]int64, error) {
	dir := args[0]
	verifier, err := note.NewVerifier(args[1])
	if err != nil {
		return nil, err
	}
	tree, err := open(filepath.Join(dir, "checkpoint"), verifier)
	if err != nil {
		return nil, err
	}
	hashes := tlog.TileHashReader(tree, folder(dir))
	done := map[string]int64{"size": tree.N, "included": 0, "consistent": 0}
	for first := int64(0); first < tree.N; first += 1 << height {
		width := tree.N - first
		if width > 1<<height {
			width = 1 << height
		}
		tile := tlog.Tile{H: height, L: -1, N: first >> height, W: int(width)}
		bundle, err := os.ReadFile(filepath.Join(dir, pathOf(tile)))
		if err != nil {
			return nil, err
		}
		entries, err := entriesIn(bundle)
		if err != nil {
			return nil, err
		}
		for nth, entry := range entries {
			at := first + int64(nth)
			proof, err := tlog.ProveRecord(tree.N, at, hashes)
			if err != nil {
				return nil, err
			}
			if err := tlog.CheckRecord(proof, tree.N, tree.Hash, at, tlog.RecordHash(entry)); err != nil {
				return nil, err
			}
			done["included"]++
		}
	}
	for _, path := range args[2:] {
		old, err := open(path, verifier)
		if err != nil {
			return nil, err
		}
		proof, err := tlog.ProveTree(tree.N, old.N, hashes)
		if err != nil {
			return nil, err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash); err != nil {
			return nil, err
		}
		done["consistent"]++
	}
	return done, nil
}

func main() {
	done, err := check(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(done)
}
