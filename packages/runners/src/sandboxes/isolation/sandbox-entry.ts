// The first program in a sandbox. Started by root it becomes an ordinary user. It opens the ports that the engine finds its runner at, hands them to the runner outside,
// and becomes the engine. A port belongs to the network it was opened in, whoever listens at it: so the engine reaches the
// runner at 127.0.0.1 and nothing else, and no process stays behind to forward anything.
//
// The arguments: the ports, with commas; the user and group to become, if any; the folder
// to work in; the engine's program; its arguments. Imports nothing of ours: it is alone in there.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const [ports = '', user = '', folder = '/', name = '', ...args] = process.argv.slice(2)

if (user !== '') {
  const [uid = -1, gid = -1] = user.split(':').map(Number)
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
// Only now: without its capabilities root may not enter another user's folder.
process.chdir(folder)

const handOver = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      process.send?.(port, server, { keepOpen: false }, (error) => (error ? reject(error) : resolve()))
    })
  })

for (const port of ports.split(',').filter(Boolean).map(Number)) await handOver(port)
process.disconnect?.()

// Files that whoever started the server had open come along through every process on the way. A folder among them would be a
// way out of the walls. Those that the kernel closes by itself when a program is replaced (O_CLOEXEC) are Node's own.
const CLOSES_BY_ITSELF = 0o2000000
const stays = (file: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & CLOSES_BY_ITSELF) === 0
  } catch {
    // The file through which the list was read.
    return false
  }
}
for (const file of readdirSync('/proc/self/fd').map(Number)) if (file > 2 && stays(file)) closeSync(file)

const folders = name.includes('/') ? [] : (process.env.PATH ?? '').split(':')
const program = folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? name

// Replaces this process where Node can do that; else this one stays and passes the end on.
if (process.execve) process.execve(program, [program, ...args], process.env)
else {
  const child = spawn(program, args, { stdio: 'inherit' })
  child.once('error', () => process.exit(127))
  child.once('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
}
