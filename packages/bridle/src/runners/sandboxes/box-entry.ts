// The first program in a sandbox. Started by root it becomes an ordinary user. It opens the ports that the engine finds its runner at, hands them to the runner outside,
// and becomes the engine. A port belongs to the network it was opened in, whoever listens at it: so the engine reaches the
// runner at 127.0.0.1 and nothing else, and no process stays behind to forward anything.
//
// The arguments: the ports, with commas; the user and group to become, if any; the folder
// to work in; the engine's program; its arguments. Imports nothing of ours: it is alone in there.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
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

const folders = name.includes('/') ? [] : (process.env.PATH ?? '').split(':')
const program = folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? name

// Replaces this process where Node can do that; else this one stays and passes the end on.
if (process.execve) process.execve(program, [program, ...args], process.env)
else {
  const child = spawn(program, args, { stdio: 'inherit' })
  child.once('error', () => process.exit(127))
  child.once('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
}
