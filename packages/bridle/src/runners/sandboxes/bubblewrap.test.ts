// From inside: what a runner in bubblewrap can see, write and reach.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCredentialProxy } from '../credential-proxy.ts'
import { startTimeOf } from '../process-table.ts'
import { bubblewrapped, probeBubblewrap } from './bubblewrap.ts'
import { fakeRunner, setBusy, shell } from './fake-runner.suite.ts'
import { LocalSandboxes } from './local.ts'
import type { Sandbox } from './provider.ts'

const missing = await probeBubblewrap()

test('a program that is not there, or does not work, is a reason', async () => {
  expect(await probeBubblewrap('/nonexistent/bwrap')).toBe('bubblewrap (bwrap) is not installed')
  expect(await probeBubblewrap('/bin/false')).toMatch(/^bubblewrap does not work here: /)
})

test('what lies in a folder comes after it, so that nothing shown covers what is hidden or written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-view-'))
  const [shown, hidden] = [join(folder, 'app'), join(folder, 'app', 'data')]
  const [work, state] = [join(hidden, 'work'), join(hidden, 'state')]
  for (const each of [work, state]) mkdirSync(each, { recursive: true })
  const args = bubblewrapped(['true'], { work, state, tmp: folder, folder, readOnly: [shown], hidden })
  const places = [`--ro-bind ${shown}`, `--tmpfs ${hidden}`, `--bind ${work}`, `--remount-ro ${hidden}`]
  const at = places.map((place) => args.join(' ').indexOf(place))
  expect(at).toEqual(at.toSorted((one, other) => one - other))
  expect(at).not.toContain(-1)
  expect(args).not.toContain('--die-with-parent')
  rmSync(folder, { recursive: true, force: true })
})

describe.skipIf(missing !== null)(
  `[O13] in a sandbox (skipped where bubblewrap does not work: ${missing ?? 'it does'})`,
  () => {
    const key = { tenant: 't', agent: 'claude', id: 'a' }
    let folder: string
    let boxes: LocalSandboxes
    let box: Sandbox

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'bridle-bwrap-'))
      writeFileSync(join(folder, 'secrets'), 'canary')
      boxes = new LocalSandboxes({ folder, secret: 's', backend: 'auto', command: fakeRunner() })
      box = await boxes.acquire(key)
    })
    afterAll(async () => {
      await boxes.forget(key)
      await boxes.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const inside = (command: string) => shell(box, command)

    test('it says so', () => {
      expect(box.notice).toMatchObject({ requestedBackend: 'auto', resolvedBackend: 'bubblewrap' })
      expect(box.notice.isolation).toContain("the host's network")
    })

    test("neither the host's home nor the server's data folder is there", async () => {
      const kept = join(homedir(), '.bridle-canary')
      writeFileSync(kept, 'canary')
      try {
        expect(await inside(`cat ${kept}`)).toMatch(/No such file/)
      } finally {
        rmSync(kept)
      }
      expect(await inside(`cat ${join(folder, 'secrets')}`)).toMatch(/No such file/)
      expect(await inside(`ls -A ${folder}`)).toBe('workspaces')
      expect(await inside(`ls -A ${folder}/workspaces | wc -l`)).toBe('1')
      expect(await inside('cat /etc/shadow; ls /root /home /var /run /sys')).not.toMatch(/root:|canary/)
    })

    test('it writes in its own folders and nowhere else', async () => {
      expect(await inside('echo hi > file && cat file && echo hi > "$HOME/file" && cat "$HOME/file"')).toBe('hi\nhi')
      expect(await inside('echo hi > /tmp/file && cat /tmp/file')).toBe('hi')
      const elsewhere = ['/file', '/usr/file', '/etc/file', `${folder}/file`, `${process.cwd()}/node_modules/file`]
      for (const path of elsewhere) expect(await inside(`echo hi > ${path}`)).toMatch(/Read-only|cannot create/)
    })

    test("nor are the system's settings its to change, whoever runs the server", async () => {
      expect(await inside('(: >> /proc/sys/kernel/core_pattern) && echo written')).toMatch(/Read-only|denied/)
      const again = 'unshare -Urpfm --mount-proc sh -c ": >> /proc/sys/kernel/core_pattern && echo written"'
      expect(await inside(again)).not.toContain('written')
    })

    test('it is nobody special, with a name, among its own processes', async () => {
      expect(await inside('id -u; id -un; hostname')).toBe('1000\nagent\nsandbox')
      expect(await inside('grep CapEff /proc/self/status')).toMatch(/0{16}$/)
      const processes = (await inside('ls -d /proc/[0-9]*')).split('\n')
      expect(processes.length).toBeLessThan(10)
      expect(await inside(`kill -0 ${process.pid} && echo there`)).not.toContain('there')
    })

    test('it reaches the credential proxy on loopback', async () => {
      const proxy = await startCredentialProxy({ secret: 's', keys: {} })
      const program = `fetch('${proxy.url}/anthropic/v1/messages',{method:'POST'}).then(({status})=>console.log(status))`
      expect(await inside(`node -e "${program}"`)).toBe('401')
      await proxy.close()
    })

    test('it outlives whoever started it, and ends with all that is in it', async () => {
      const left = await inside('setsid sleep 654 >/dev/null 2>&1 & echo started')
      expect(left).toBe('started')
      await setBusy(box, true)
      const next = new LocalSandboxes({ folder, secret: 's', command: fakeRunner() })
      expect(await next.find(box.id)).toEqual(box)
      const { pid } = JSON.parse(readFileSync(join(folder, 'sandboxes', box.id, 'record.json'), 'utf8'))
      // The first process alone: what is in the namespace has lost its guard, and is still found.
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => startTimeOf(pid)).toBe(null)
      await next.reap(async () => true)
      expect(await boxes.health(box)).toBe(null)
      await next.close()
    })
  },
)
