package main

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
)

// forwarder is a DLL without code. It has one export, and that is another
// DLL's: the loader follows a name of the form DLL.FUNCTION wherever an
// export's address lies inside the export directory ("PE Format", Export
// Address Table).
func forwarder(dll, export, target string) []byte {
	const (
		page, sector = 0x1000, 0x200
		fixed        = 40 + 4 + 4 + 2 // the directory, and one entry of each of its three tables
	)
	names := dll + "\x00" + export + "\x00" + target + "\x00"
	at := func(offset int) uint32 { return uint32(page + offset) }
	exports := encode(
		struct {
			Flags, Time           uint32
			Version               uint32
			Name, Base            uint32
			Functions, Names      uint32
			Address, Name1, Index uint32
		}{
			Name: at(fixed), Base: 1, Functions: 1, Names: 1,
			Address: at(40), Name1: at(44), Index: at(48),
		},
		at(fixed+len(dll)+1+len(export)+1), at(fixed+len(dll)+1), uint16(0), []byte(names),
	)
	optional := pe.OptionalHeader64{
		Magic: 0x20b, SizeOfInitializedData: sector,
		ImageBase: 0x1_8000_0000, SectionAlignment: page, FileAlignment: sector,
		MajorOperatingSystemVersion: 6, MajorSubsystemVersion: 6,
		SizeOfImage: 2 * page, SizeOfHeaders: sector,
		Subsystem:          pe.IMAGE_SUBSYSTEM_WINDOWS_GUI,
		DllCharacteristics: pe.IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE | pe.IMAGE_DLLCHARACTERISTICS_NX_COMPAT,
		SizeOfStackReserve: 1 << 20, SizeOfStackCommit: page, SizeOfHeapReserve: 1 << 20, SizeOfHeapCommit: page,
		NumberOfRvaAndSizes: 16,
	}
	optional.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT] = pe.DataDirectory{VirtualAddress: page, Size: uint32(len(exports))}
	section := pe.SectionHeader32{
		Name: [8]uint8{'.', 'e', 'd', 'a', 't', 'a'}, VirtualSize: uint32(len(exports)), VirtualAddress: page,
		SizeOfRawData: sector, PointerToRawData: sector,
		Characteristics: pe.IMAGE_SCN_CNT_INITIALIZED_DATA | pe.IMAGE_SCN_MEM_READ,
	}
	dos := make([]byte, 64)
	copy(dos, "MZ")
	dos[60] = 64 // where the header proper begins
	headers := encode(dos, []byte("PE\x00\x00"), pe.FileHeader{
		Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: 1, SizeOfOptionalHeader: uint16(binary.Size(optional)),
		Characteristics: pe.IMAGE_FILE_EXECUTABLE_IMAGE | pe.IMAGE_FILE_LARGE_ADDRESS_AWARE | pe.IMAGE_FILE_DLL,
	}, optional, section)
	return append(padded(headers, sector), padded(exports, sector)...)
}

func encode(parts ...any) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		if err := binary.Write(&b, binary.LittleEndian, p); err != nil {
			panic(err) // a part without a fixed size
		}
	}
	return b.Bytes()
}

func padded(b []byte, size int) []byte { return append(b, make([]byte, size-len(b))...) }
