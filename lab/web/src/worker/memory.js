// A file system in memory, as Go's package syscall expects one of Node.js: functions with
// a callback, which get (error) or (null, result). There are no links and no rights.

const constants = {O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536}
const directory = 0o040777, regular = 0o100666

let inodes = 0
const node = dir => ({ino: ++inodes, mode: dir ? directory : regular, entries: dir ? new Map() : null, data: new Uint8Array(0), size: 0, time: Date.now()})
const root = node(true)
const open = new Map() // {file, at, flags} by descriptor
let descriptors = 2

const failed = code => Object.assign(new Error(code), {code})

// partsOf returns the names of a path from the root, which is also the current folder.
const partsOf = path => {
  const parts = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts
}

// find returns what is at a path.
const find = path => {
  let at = root
  for (const part of partsOf(path)) {
    if (!at.entries) throw failed('ENOTDIR')
    at = at.entries.get(part)
    if (!at) throw failed('ENOENT')
  }
  return at
}

// place returns the folder of a path and its name there.
const place = path => {
  const parts = partsOf(path), name = parts.pop()
  if (name === undefined) throw failed('EBUSY')
  const folder = find(parts.join('/'))
  if (!folder.entries) throw failed('ENOTDIR')
  return {folder, name, has: folder.entries.get(name)}
}

const changed = file => { file.time = Date.now() }

// resize makes a file of a size; what is new is zero.
const resize = (file, size) => {
  if (size > file.data.length) {
    const data = new Uint8Array(Math.max(size, 2 * file.data.length, 256))
    data.set(file.data.subarray(0, file.size))
    file.data = data
  } else if (size < file.size) file.data.fill(0, size, file.size)
  file.size = size
  changed(file)
}

const stat = file => ({
  dev: 1, ino: file.ino, mode: file.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size: file.size, blksize: 4096,
  blocks: Math.ceil(file.size / 512), atimeMs: file.time, mtimeMs: file.time, ctimeMs: file.time,
  isDirectory: () => Boolean(file.entries),
})

const opened = fd => {
  const one = open.get(fd)
  if (!one) throw failed('EBADF')
  return one
}

// put writes bytes to a file of an open descriptor.
const put = (one, bytes, position) => {
  const {file} = one
  const at = one.flags & constants.O_APPEND ? file.size : position ?? one.at
  if (at + bytes.length > file.size) resize(file, at + bytes.length)
  file.data.set(bytes, at)
  changed(file)
  if (position === null) one.at = at + bytes.length
  return bytes.length
}

let line = ''
// say writes to the console, line by line.
const say = bytes => {
  line += new TextDecoder().decode(bytes)
  const lines = line.split('\n')
  line = lines.pop()
  if (lines.length > 0) console.log(lines.join('\n'))
  return bytes.length
}

const calls = {
  open: (path, flags) => {
    const {folder, name, has} = partsOf(path).length > 0 ? place(path) : {has: root}
    if (has && flags & constants.O_CREAT && flags & constants.O_EXCL) throw failed('EEXIST')
    if (!has && !(flags & constants.O_CREAT)) throw failed('ENOENT')
    const file = has ?? node(false)
    if (file.entries && flags & (constants.O_WRONLY | constants.O_RDWR)) throw failed('EISDIR')
    if (!file.entries && flags & constants.O_DIRECTORY) throw failed('ENOTDIR')
    if (!has) {
      folder.entries.set(name, file)
      changed(folder)
    }
    if (flags & constants.O_TRUNC && !file.entries) resize(file, 0)
    open.set(++descriptors, {file, at: 0, flags})
    return descriptors
  },
  close: fd => { if (!open.delete(fd)) throw failed('EBADF') },
  read: (fd, buffer, offset, length, position) => {
    const one = opened(fd), at = position ?? one.at
    if (one.file.entries) throw failed('EISDIR')
    const bytes = one.file.data.subarray(Math.min(at, one.file.size), Math.min(at + length, one.file.size))
    buffer.set(bytes, offset)
    if (position === null) one.at = at + bytes.length
    return bytes.length
  },
  write: (fd, buffer, offset, length, position) => {
    const bytes = buffer.subarray(offset, offset + length)
    return fd === 1 || fd === 2 ? say(bytes) : put(opened(fd), bytes, position)
  },
  stat: path => stat(find(path)),
  lstat: path => stat(find(path)),
  fstat: fd => stat(opened(fd).file),
  mkdir: path => {
    const {folder, name, has} = place(path)
    if (has) throw failed('EEXIST')
    folder.entries.set(name, node(true))
    changed(folder)
  },
  readdir: path => {
    const {entries} = find(path)
    if (!entries) throw failed('ENOTDIR')
    return [...entries.keys()]
  },
  unlink: path => {
    const {folder, name, has} = place(path)
    if (!has) throw failed('ENOENT')
    if (has.entries) throw failed('EISDIR')
    folder.entries.delete(name)
    changed(folder)
  },
  rmdir: path => {
    const {folder, name, has} = place(path)
    if (!has) throw failed('ENOENT')
    if (!has.entries) throw failed('ENOTDIR')
    if (has.entries.size > 0) throw failed('ENOTEMPTY')
    folder.entries.delete(name)
    changed(folder)
  },
  rename: (from, to) => {
    const a = place(from), b = place(to)
    if (!a.has) throw failed('ENOENT')
    if (b.has === a.has) return
    if (b.has?.entries && !a.has.entries) throw failed('EISDIR')
    if (b.has && !b.has.entries && a.has.entries) throw failed('ENOTDIR')
    if (b.has?.entries?.size > 0) throw failed('ENOTEMPTY')
    if (a.has.entries && (partsOf(to).join('/') + '/').startsWith(partsOf(from).join('/') + '/')) throw failed('EINVAL')
    a.folder.entries.delete(a.name)
    b.folder.entries.set(b.name, a.has)
    changed(a.folder)
    changed(b.folder)
  },
  truncate: (path, size) => resize(find(path), size),
  ftruncate: (fd, size) => resize(opened(fd).file, size),
  utimes: (path, access, modified) => { find(path).time = 1000 * modified },
  fsync: fd => { opened(fd) },
  chmod: path => { find(path) },
  fchmod: fd => { opened(fd) },
}

const refused = ['chown', 'fchown', 'lchown', 'link', 'symlink', 'readlink']

// withCallback gives the result of a call to its last argument.
const withCallback = call => (...args) => {
  const done = args.pop()
  let result
  try {
    result = call(...args)
  } catch (error) {
    if (!error.code) throw error
    done(error)
    return
  }
  done(null, result)
}

// memory is the file system.
export const memory = {
  constants,
  writeSync: (fd, buffer) => calls.write(fd, buffer, 0, buffer.length, null),
  ...Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, withCallback(call)])),
  ...Object.fromEntries(refused.map(name => [name, withCallback(() => { throw failed('ENOSYS') })])),
}

// keep writes a file.
export const keep = (path, bytes) => {
  const fd = calls.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
  calls.write(fd, bytes, 0, bytes.length, null)
  calls.close(fd)
}
