"""Reads the event file in a folder and prints its scalars as JSON. Records are checked with a CRC-32C of its own, and
messages are decoded from their bytes."""
import glob, json, struct, sys

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8): crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF

def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128: return value, at

def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0: value, at = varint(data, at)
        elif kind == 1: value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 5: value, at = struct.unpack_from("<f", data, at)[0], at + 4
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value

assert crc32c(b"123456789") == 0xE3069283
path, = glob.glob(sys.argv[1] + "/events.out.tfevents.*")
data, at, events = open(path, "rb").read(), 0, []
while at < len(data):
    size, check = struct.unpack_from("<QI", data, at)
    body = data[at + 12:at + 12 + size]
    assert check == masked(data[at:at + 8]) and struct.unpack_from("<I", data, at + 12 + size)[0] == masked(body)
    events.append(body)
    at += 16 + size
assert dict(fields(events[0]))[3] == b"brain.Event:2"
out = []
for event in events[1:]:
    found = dict(fields(event))
    scalars = {}
    for field, value in fields(found[5]):
        tag = dict(fields(value))
        scalars[tag[1].decode()] = tag[2]
    out.append(dict(step=found.get(2, 0), wall=found[1], scalars=scalars))
print(json.dumps(out))
