// Claude Code and Codex on the repository of a person, with that person's own login: real engines in sandboxes, stubs of the vendors.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AnthropicStub, startAnthropicStub, stubbed } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { responsesStub } from '@bridle/runners/engines/codex/responses-stub.suite'
import { endSandboxes, engineEnv, noEngines } from '@bridle/runners/engines/engines.suite'
import { sandboxUser } from '@bridle/runners/sandboxes/isolation/sandbox-user'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { isThorough } from '../../../../scripts/variants.ts'
import { CliWorkspace, parseJsonRows } from '../cli.suite.ts'

const TOKEN = 'sk-ant-oat01-the-login-of-ann'

describe.skipIf(noEngines !== null || needs('bubblewrap') !== null)('Claude Code on a repository', () => {
  let stub: AnthropicStub
  let world: CliWorkspace
  let repo: string
  beforeEach(async () => {
    stub = await startAnthropicStub()
    world = new CliWorkspace({ ...engineEnv(), CLAUDE_CODE_OAUTH_TOKEN: TOKEN, ANTHROPIC_BASE_URL: stub.url })
    repo = join(world.folder, 'repo')
    mkdirSync(join(repo, '.bridle'), { recursive: true })
    writeFileSync(join(repo, '.bridle/secret'), 'SERVER')
    writeFileSync(join(repo, 'readme.md'), 'hello\n')
    writeFileSync(join(repo, 'CLAUDE.md'), 'Use tabs. @.bridle/secret\n')
    git('init', '--quiet')
    git('add', 'readme.md', 'CLAUDE.md')
    git('commit', '--quiet', '-m', 'one')
    await world.boot()
  })
  afterEach(async () => {
    endSandboxes(join(world.folder, 'data'))
    await world.remove()
    await stub.close()
  })
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  const bash = (command: string) => ({ tool_use: 'Bash', id: 'toolu_1', input: { command, description: 'x' } })
  const done = { blocks: [{ text: 'Done.' }] }
  /** Asks, approves whatever it wants, and returns the answer. */
  const run = async (id: string, command: string, query = '') => {
    let isOver = false
    const asked = post(`${world.url}/agents/claude/${id}${query}`, {
      prompt: stubbed({ blocks: [bash(command)] }, done),
    }).finally(() => {
      isOver = true
    })
    while (!isOver) {
      const detail = await get(`${world.url}/sessions/${id}`)
      for (const { id: approval } of (detail.body.approvals ?? []) as { id: string }[])
        await post(`${world.url}/sessions/${id}/approvals/${approval}/approve`, {})
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return asked
  }
  const detail = async (id: string) => (await get(`${world.url}/sessions/${id}`)).body

  test('[O73] [H112] [EN1] works on a branch by its instructions, with the login of the server’s user, which no sandbox sees', async () => {
    const query = `?workspace=${encodeURIComponent(repo)}`
    const looks = `env > seen.txt; cat /proc/*/environ >> seen.txt 2>/dev/null; git log --oneline > log.txt; cat readme.md`
    expect((await run('one', looks, query)).body).toMatchObject({ result: 'Done.' })
    const { workspace_path: path, workspace_kind: kind } = await detail('one')
    expect(kind).toBe('git_worktree')
    const text = (file: string) => readFileSync(join(String(path), file), 'utf8')
    expect(text('log.txt')).toMatch(/ one\n$/)
    expect(text('seen.txt')).toContain('added-by-the-relay')
    expect(text('seen.txt')).not.toContain(TOKEN)
    expect(stub.requests.length).toBeGreaterThan(1)
    expect(JSON.stringify(stub.requests.at(-1)?.body)).toContain('Contents of CLAUDE.md:\\n\\nUse tabs.')
    expect(((await detail('one')) as { instructions?: object }).instructions).toMatchObject({
      files: [{ path: 'CLAUDE.md', kind: 'instructions', bytes: 26 }],
      left_out: [{ path: '.bridle/secret', reason: 'is not for models' }],
    })
    for (const { headers } of stub.requests) {
      expect([headers.authorization, headers['x-api-key']]).toEqual([`Bearer ${TOKEN}`, undefined])
      expect(String(headers['anthropic-beta']).split(',')).toEqual(
        expect.arrayContaining(['claude-code-20250219', 'oauth-2025-04-20']),
      )
    }
    expect(git('status', '--porcelain')).toBe('?? .bridle/\n')
    const { agents } = (await get(`${world.url}/agents`)).body as unknown as {
      agents: { name: string; credential?: string }[]
    }
    expect(agents.find(({ name }) => name === 'claude')?.credential).toBe('CLAUDE_CODE_OAUTH_TOKEN')
    expect(JSON.stringify(agents)).not.toContain(TOKEN)
  })

  if (isThorough) {
    test('[H116] kill -9 with three chats: each goes on in its folder, and goes with its session', async () => {
      const ids = ['a', 'b', 'c']
      const query = `?workspace=${encodeURIComponent(repo)}`
      await Promise.all(ids.map((id) => run(id, `echo ${id} > first.txt`, query)))
      const before = await Promise.all(ids.map(detail))
      await world.kill()
      await world.boot()
      await Promise.all(ids.map((id) => run(id, `cat first.txt > second.txt`)))
      for (const [index, id] of ids.entries()) {
        const { workspace_path: path } = await detail(id)
        expect(path).toBe(before[index]?.workspace_path)
        expect(readFileSync(join(String(path), 'second.txt'), 'utf8')).toBe(`${id}\n`)
      }
      await fetch(`${world.url}/agents/claude/b`, { method: 'DELETE' })
      await expect.poll(() => git('worktree', 'list').trim().split('\n').length).toBe(3)
      expect(before.map(({ workspace_path: path }) => existsSync(String(path)))).toEqual([true, false, true])
    })

    test('[H115] works in place: changes are there, git’s files are read-only, and the server’s data is not seen', async () => {
      const user = sandboxUser()
      if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, repo])
      const query = `?workspace=${encodeURIComponent(repo)}&workspace_mode=in_place`
      const tries = `echo new > new.txt; echo x > .git/hooks/pre-commit; echo $? > hook.txt; mv .git .g 2>/dev/null; echo $? >> hook.txt; ls -A .bridle > data.txt; git log --oneline > log.txt`
      expect((await run('in', tries, query)).body).toMatchObject({ result: 'Done.' })
      expect(readFileSync(join(repo, 'new.txt'), 'utf8')).toBe('new\n')
      expect(readFileSync(join(repo, 'hook.txt'), 'utf8')).not.toMatch(/^0$/m)
      expect(existsSync(join(repo, '.git/hooks/pre-commit'))).toBe(false)
      // The engine has ended with its run, and what held the places of absent files with it.
      expect(readdirSync(repo).sort()).toEqual([
        '.bridle',
        '.git',
        'CLAUDE.md',
        'data.txt',
        'hook.txt',
        'log.txt',
        'new.txt',
        'readme.md',
      ])
      // The instructions import a file of the server's data.
      const asked = JSON.stringify(stub.requests)
      expect([asked.includes('Use tabs.'), asked.includes('SERVER')]).toEqual([true, false])
      expect(readFileSync(join(repo, 'log.txt'), 'utf8')).toMatch(/ one\n$/)
      expect((await fetch(`${world.url}/agents/claude/in`, { method: 'DELETE' })).status).toBe(200)
      expect(readFileSync(join(repo, 'new.txt'), 'utf8')).toBe('new\n')
    })

    test('[H115] works in place beside the data of the server that the command starts there', async () => {
      const user = sandboxUser()
      if (user) chownSync(world.folder, user.uid, user.gid)
      writeFileSync(join(world.folder, 'notes.txt'), 'of the person')
      const look = {
        tool_use: 'Read',
        id: 'toolu_1',
        input: { file_path: join(realpathSync(world.folder), 'notes.txt') },
      }
      const prompt = stubbed({ blocks: [look] }, done)
      const env = await world.unnamed()
      const args = ['run', 'claude', prompt, '--workspace', '.', '--workspace-mode', 'in-place', '--json']
      const { code, stdout } = await world.bridle(args, { env })
      expect([code, parseJsonRows(stdout).at(-1)]).toMatchObject([0, { status: 'completed', result: 'Done.' }])
      expect(stdout).toContain('of the person')
      expect(existsSync(join(world.folder, '.bridle/bridle.sqlite'))).toBe(true)
    })
  }
})

const describeThorough = isThorough ? describe.skipIf(noEngines !== null || needs('bubblewrap') !== null) : () => {}

describeThorough('Codex with a login', () => {
  test('[O73] asks the address for logins with the token and the account of auth.json', async () => {
    const stub = await responsesStub()
    const world = new CliWorkspace({ ...engineEnv(), CHATGPT_BASE_URL: stub.url })
    const codexHome = join(world.folder, 'codex-home')
    mkdirSync(codexHome)
    const payload = Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + 3600 })).toString('base64url')
    const token = `h.${payload}.s`
    const write = (access: string) =>
      writeFileSync(
        join(codexHome, 'auth.json'),
        JSON.stringify({ tokens: { access_token: access, account_id: 'acct-1', refresh_token: 'r' } }),
      )
    write(token)
    world.env.CODEX_HOME = codexHome
    try {
      await world.boot()
      const script = `@stub ${JSON.stringify([{ items: [{ text: 'Hello.' }] }])}`
      const answer = await post(`${world.url}/agents/codex/one`, { prompt: script })
      expect(answer.body).toMatchObject({ result: 'Hello.' })
      for (const { headers } of stub.requests)
        expect([headers.authorization, headers['chatgpt-account-id']]).toEqual([`Bearer ${token}`, 'acct-1'])
      // An expired login is said before anything is asked.
      write(`h.${Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url')}.s`)
      const refused = await post(`${world.url}/agents/codex/two`, { prompt: script })
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([503, expect.stringContaining('Run codex login.')])
    } finally {
      endSandboxes(join(world.folder, 'data'))
      await world.remove()
      await stub.close()
    }
  })
})
