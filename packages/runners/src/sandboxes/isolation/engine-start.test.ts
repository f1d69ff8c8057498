// From inside: a hostile engine, which is a real shell, in the sandboxes that a server starts. Three sessions of three tenants.
import { once } from 'node:events'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Key } from '@bridle/kernel/event'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../../scripts/needs.ts'
import { shellEngine, shellRunner } from '../../engines/shell.suite.ts'
import type { Sandbox } from '../../remote/provider.ts'
import { caller } from '../../server/runner.suite.ts'
import { SandboxRunner } from '../../server/sandbox-runner.ts'
import { sessionFolder, workFolder } from '../folders/session-paths.ts'
import type { LocalSandboxOptions } from '../local-sandbox-options.ts'
import { LocalSandboxes } from '../local-sandboxes.ts'
import { withoutIsolation } from './engine-start.suite.ts'
import { sandboxUser } from './sandbox-user.ts'

const missing = needs('bubblewrap')
const MIB = 2 ** 20
const KEY = 'sk-canary-key-of-the-runner'
const keys = ['ta', 'tb', 'tc'].map((tenant): Key => ({ tenant, agent: 'claude', id: 'same' }))

/** Processes of this machine whose command line holds a text. */
const hostProcesses = (text: string): string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(text)
    } catch {
      return false
    }
  })

describe.skipIf(missing !== null)(
  `[O13] in a sandbox (skipped where bubblewrap does not work: ${missing ?? 'it does'})`,
  () => {
    let folder: string
    let boxes: LocalSandboxes
    let inside: Sandbox[]
    let web: Server
    let abstract: Server
    const [webPort, abstractName] = [() => (web.address() as AddressInfo).port, `\0bridle-test-${process.pid}`]

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'bridle-walls-'))
      writeFileSync(join(folder, 'secret'), 'canary-of-the-server')
      web = createServer((_request, response) => response.end('the server answered')).listen(0, '127.0.0.1')
      await once(web, 'listening')
      abstract = createSocketServer((socket) => socket.end('the host answered')).listen(abstractName)
      boxes = new LocalSandboxes({
        folder,
        secret: 'canary-of-the-server',
        command: shellRunner(),
        env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `http://127.0.0.1:${webPort()}` },
      })
      inside = await Promise.all(keys.map((key) => boxes.acquire(key)))
    })
    afterAll(async () => {
      for (const key of keys) await boxes.forget(key)
      await boxes.close()
      web.close()
      abstract.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const run = async (command: string, box = inside[0] as Sandbox) => {
      const reading = await caller(box.url, box.token, box.fetch).query({ prompt: command })
      const end = await reading.end
      expect(end).toMatchObject({ type: 'run.completed' })
      return reading.text().trim()
    }
    const node = (program: string) => `${process.execPath} -e "${program.replaceAll('"', '\\"')}"`
    const connect = (address: string) =>
      run(
        node(
          `require('net').connect(${address}).on('data', (text) => console.log('heard', String(text))).on('error', ({ code }) => console.log(code))`,
        ),
      )

    test('the notice says what was had', () => {
      expect(inside[0]?.notice).toMatchObject({ requestedBackend: 'bubblewrap', resolvedBackend: 'bubblewrap' })
      expect(inside[0]?.notice.isolation).toContain('network')
    })

    test("neither the host's home, nor the server's data, nor another session's folder is there", async () => {
      const kept = join(homedir(), '.bridle-canary')
      writeFileSync(kept, 'canary')
      try {
        expect(await run(`cat ${kept}`)).toMatch(/No such file|Permission denied/)
      } finally {
        rmSync(kept)
      }
      await run('echo mine > file', inside[1])
      expect(await run(`cat ${folder}/secret; ls -A ${folder}`)).toMatch(/No such file.*workspaces$/s)
      expect(await run(`ls -A ${folder}/workspaces | wc -l; ls -A ${folder}/workspaces/*`)).toMatch(
        /^1\nstate\nstate-files\nwork$/,
      )
      expect(await run('cat /etc/shadow; ls /root /home /var /run /sys /etc/ssl/private')).not.toMatch(
        /root:|canary|\.key/,
      )
    })

    test('[OH106] the files of prompts are read, and not written, and those of others are not there', async () => {
      const give = (box: Sandbox, content: string) =>
        caller(box.url, box.token, box.fetch).ask('/files/file-1/a.txt', { method: 'PUT', body: content })
      const [path] = (await Promise.all(inside.map((box, at) => give(box, `file of ${at}`)))).map(
        ({ body }) => (body as { path: string }).path,
      )
      for (const [at, box] of inside.entries()) expect(await run(`cat ${path}`, box)).toBe(`file of ${at}`)
      for (const change of [`echo x > ${path}`, `rm ${path}`, `ln -s /tmp ../state-files/b`, 'mv ../state-files ../x'])
        expect(await run(change)).toMatch(/Read-only|busy|Permission denied|cannot/)
      expect(await run('ls -A .')).not.toContain('a.txt')
    })

    test('files are written in its own folders and nowhere else', async () => {
      expect(await run('echo hi > file && cat file && echo hi > "$HOME/file" && cat "$HOME/file"')).toBe('hi\nhi')
      expect(await run('echo hi > /tmp/file && cat /tmp/file && echo hi > /dev/shm/file && cat /dev/shm/file')).toBe(
        'hi\nhi',
      )
      const elsewhere = ['/file', '/usr/file', '/etc/file', '/dev/file', `${folder}/file`, '/etc/ssl/file']
      for (const path of elsewhere) expect(await run(`echo hi > ${path}`)).toMatch(/Read-only|cannot create/)
      expect(await run('head -c 100000000 /dev/zero > /dev/shm/much; stat -c %s /dev/shm/much')).toMatch(
        /No space left/,
      )
    })

    test("the system's settings are not its to change, whoever runs the server", async () => {
      expect(await run('(: >> /proc/sys/kernel/core_pattern) && echo written')).toMatch(/Read-only|denied/)
      const again = 'unshare -Urpfm --mount-proc sh -c ": >> /proc/sys/kernel/core_pattern && echo written"'
      expect(await run(again)).not.toContain('written')
    })

    test('the user is nobody special, outside as inside, and without a capability', async () => {
      expect(await run('id -un; hostname')).toBe('agent\nsandbox')
      expect(await run('id -u; id -g; id -G')).not.toMatch(/^0$/m)
      expect(await run('grep Cap /proc/self/status')).toMatch(/CapPrm:\s+0{16}\nCapEff:\s+0{16}/)
      expect(await run('grep NoNewPrivs /proc/self/status')).toMatch(/1$/)
      await run('echo x > owned')
      const { uid } = statSync(join(workFolder(sessionFolder(realpathSync(folder), keys[0] as Key)), 'owned'))
      expect(uid).not.toBe(0)
    })

    test('no process of the host, and no memory of the runner, is in sight', async () => {
      expect(await run(`kill -0 ${process.pid} && echo there`)).not.toContain('there')
      const commands = await run('cat /proc/[0-9]*/cmdline | tr "\\0" " "')
      expect(commands).not.toContain('shell.suite')
      const secrets = [KEY, 'canary-of-the-server', inside[0]?.token ?? '']
      const search = await run(
        'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"; env; cat /proc/1/mem',
      )
      for (const secret of secrets) expect(search).not.toContain(secret)
      expect(await run('grep -rlI canary -s -D skip /tmp /etc /run /var /root /home . "$HOME" | head')).toBe('')
    })

    test("neither the server's port, nor the host's sockets, nor any address is reached", async () => {
      expect(await connect(`{ port: ${webPort()}, host: '127.0.0.1' }`)).toBe('ECONNREFUSED')
      expect(await connect(`{ path: '${abstractName.replace('\0', '\\0')}' }`)).toBe('ECONNREFUSED')
      for (const address of ['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '203.0.113.1'])
        expect(await connect(`{ port: 80, host: '${address}' }`)).toBe('ENETUNREACH')
      expect(await connect("{ port: 80, host: '::1' }")).not.toContain('heard')
      expect(await run('getent hosts example.com || echo unknown')).toBe('unknown')
      expect(await run(`ls ${folder}/sandboxes`)).toMatch(/No such file/)
    })

    test('the relay is reached, and through it the provider, while a run is under way', async () => {
      const ask = node(
        "fetch(process.env.ANTHROPIC_BASE_URL + '/v1/models').then(async (answer) => console.log(await answer.text()))",
      )
      expect(await run(ask)).toBe('the server answered')
      // By its secret path only: an agent that guesses has no use for the port.
      expect(
        await run(
          node(
            "fetch(new URL('/x/anthropic/v1/messages', process.env.ANTHROPIC_BASE_URL)).then(({ status }) => console.log(status))",
          ),
        ),
      ).toBe('404')
    })

    test('three at once stay apart', async () => {
      const all = await Promise.all(
        inside.map((box, index) => run(`echo ${index} > whose; sleep 0.3; cat whose; ls /tmp`, box)),
      )
      expect(all.map((text) => text.split('\n')[0])).toEqual(['0', '1', '2'])
    })

    test('whatever it leaves behind ends with it', async () => {
      await run('(env -i setsid sleep 654321 </dev/null >/dev/null 2>&1 &) ; sleep 0.1; echo left')
      await expect.poll(() => hostProcesses('654321')).toEqual([])
    })

    test('a sandbox outlives its server, is found by the next one, and ends when its session is removed', async () => {
      const [box] = inside as [Sandbox]
      const running = await caller(box.url, box.token, box.fetch).query({
        prompt: 'echo begun; sleep 765432',
        requestId: 'long',
      })
      await running.first('assistant.delta')
      const next = new LocalSandboxes({ folder, secret: 'canary-of-the-server', command: shellRunner() })
      const found = await next.find(box.id)
      expect([found?.id, found?.token]).toEqual([box.id, box.token])
      await expect.poll(() => hostProcesses('765432')).not.toEqual([])
      await next.forget(keys[0] as Key)
      await expect.poll(() => hostProcesses('765432')).toEqual([])
      expect(await boxes.health(box)).toBe(null)
      await next.close()
      inside[0] = await boxes.acquire(keys[0] as Key)
    })
  },
)

describe.skipIf(missing !== null)('what an operator opens and limits', () => {
  let folder: string
  let boxes: LocalSandboxes
  const start = (options: Partial<LocalSandboxOptions>) => {
    folder = mkdtempSync(join(tmpdir(), 'bridle-limits-'))
    boxes = new LocalSandboxes({
      folder,
      secret: 's',
      command: shellRunner(),
      env: { ANTHROPIC_API_KEY: KEY },
      ...options,
    })
  }
  const query = async (key: Key, prompt: string) => {
    const box = await boxes.acquire(key)
    return caller(box.url, box.token, box.fetch).query({ prompt })
  }
  afterEach(async () => {
    for (const key of keys) await boxes.forget(key)
    await boxes.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('[O18] over a limit a run ends with the figures; its neighbours go on', async () => {
    start({ limits: { memoryBytes: 300 * MIB, processes: 20, workBytes: 20 * MIB } })
    const greedy = [
      `${process.execPath} -e "globalThis.kept = Buffer.alloc(600 * 2 ** 20, 1); setTimeout(() => {}, 60000)"`,
      'for n in $(seq 60); do sleep 60 & done; wait',
      'head -c 60000000 /dev/zero > much; sleep 60',
    ]
    const ends = await Promise.all(keys.map(async (key, index) => (await query(key, greedy[index] ?? '')).end))
    expect(ends).toMatchObject(
      ['of memory; 300 MiB', 'processes; 20', 'into its folders; 20 MiB'].map((figure) => ({
        type: 'run.error',
        reason: 'resource_limit',
        message: expect.stringContaining(`${figure} are allowed.`),
      })),
    )
    const modest = await query(keys[0] as Key, 'echo fine')
    expect(await modest.end).toMatchObject({ type: 'run.completed' })
    expect(modest.text()).toBe('fine\n')
  })

  test('[O17] listed hosts are reached through the proxy, and no others; the notice names them', async () => {
    start({ network: { allow: ['api.example.com'] } })
    const box = await boxes.acquire(keys[0] as Key)
    expect(box.notice.isolation).toContain('only api.example.com')
    const ask = `${process.execPath} -e "require('http').get({ host: '127.0.0.1', port: new URL(process.env.HTTP_PROXY).port, path: process.argv[1], headers: { host: new URL(process.argv[1]).host } }, (answer) => answer.pipe(process.stdout))"`
    const reading = await query(keys[0] as Key, `${ask} http://evil.example/; ${ask} http://127.0.0.1/`)
    await reading.end
    expect(reading.text()).toMatch(/may not reach evil\.example.*\n.*may not reach 127\.0\.0\.1/)
  })

  test('[O13] a folder that was open where the server was started is not open inside', async () => {
    // Node keeps files of low numbers to itself; a shell, a supervisor or `<(...)` leaves higher ones.
    start({ command: ['bash', '-c', 'exec 100</ 200</etc/passwd; exec "$0" "$@"', ...shellRunner()] })
    const reading = await query(keys[0] as Key, 'cd /proc/self/fd && echo *; ls /proc/self/fd/100/')
    await reading.end
    expect(reading.text()).toMatch(/^0 1 2( \d)*\nls: .*No such file/)
  })

  test('[O13] the network of the host is there where an operator says so, and the notice says so', async () => {
    start({ network: 'host' })
    const box = await boxes.acquire(keys[0] as Key)
    expect(box.notice.isolation).toContain("the host's network")
    const web = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1')
    await once(web, 'listening')
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    const reading = await query(
      keys[0] as Key,
      `${process.execPath} -e "fetch('${url}').then(async (answer) => console.log(await answer.text()))"`,
    )
    await reading.end
    expect(reading.text()).toBe('reached\n')
    web.close()
  })

  test('[O13] without walls too, nothing survives the removal of its session', async () => {
    start({ backend: 'process' })
    chmodSync(folder, 0o711)
    const reading = await query(keys[0] as Key, '(env -i setsid sleep 543219 </dev/null >/dev/null 2>&1 &) ; echo left')
    await reading.end
    await boxes.forget(keys[0] as Key)
    await expect.poll(() => hostProcesses('543219')).toEqual([])
  })
})

describe.skipIf(process.getuid?.() !== 0)(
  '[R7] without walls, under a runner that is root (skipped for other users)',
  () => {
    test('an engine is another user, who reads neither the environment nor the memory of its runner', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'bridle-plain-'))
      const runner = await SandboxRunner.start({
        engines: [shellEngine()],
        workFolder: join(folder, 'work'),
        stateFolder: join(folder, 'state'),
        env: { ANTHROPIC_API_KEY: KEY },
        ...withoutIsolation(folder),
      })
      const { pid } = process
      const prompt = `id -u; cat /proc/${pid}/environ; head -c 1 /proc/${pid}/mem; kill -0 ${pid}; ls ${folder}/state-private; cat /etc/shadow`
      const reading = await caller(runner.url).query({ prompt })
      await reading.end
      const lines = reading.text().trim().split('\n')
      const [uid, ...others] = lines.filter((line) => line && !/denied|not permitted|No such file/.test(line))
      expect([uid, others]).toEqual([String(sandboxUser()?.uid), []])
      await runner.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test.each([
      ['the default user', undefined],
      ['a user that an operator chose', '61234'],
    ])("[O13] %s works in the session's folders, in a data folder that is closed", async (_name, uid) => {
      vi.stubEnv('BRIDLE_SANDBOX_UID', uid)
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-closed-')))
      writeFileSync(join(folder, 'secret'), 'canary-of-the-server', { mode: 0o600 })
      const boxes = new LocalSandboxes({
        folder,
        secret: 'canary-of-the-server',
        backend: 'process',
        command: shellRunner(),
        env: { ANTHROPIC_API_KEY: KEY },
      })
      try {
        expect(await boxes.missing()).toBeNull()
        const said = keys.map(async (key) => {
          const { url, token, fetch } = await boxes.acquire(key)
          const reading = await caller(url, token, fetch).query({
            prompt: `id -u; echo hi > file && cat file; ls ${folder} ${folder}/*; cat ${folder}/secret`,
          })
          await reading.end
          return reading.text().trim().split('\n')
        })
        const refused = expect.stringMatching(/denied|No such file/)
        const expected = [String(sandboxUser()?.uid), 'hi', refused, refused, refused]
        expect(await Promise.all(said)).toEqual([expected, expected, expected])
      } finally {
        for (const key of keys) await boxes.forget(key)
        await boxes.close()
        vi.unstubAllEnvs()
        rmSync(folder, { recursive: true, force: true })
      }
    })

    test('[O13] where the data folder lies in a folder that only root can enter, engines say so before a run', async () => {
      const closed = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-closed-')))
      const boxes = new LocalSandboxes({ folder: join(closed, 'data'), secret: 'a secret', backend: 'process' })
      expect(await boxes.missing()).toContain(`who cannot enter ${closed}.`)
      await boxes.close()
      rmSync(closed, { recursive: true, force: true })
    })
  },
)
