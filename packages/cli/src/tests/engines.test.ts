// The whole of it: a server in a process of its own, the real engine in a sandbox, a stub of the provider, and kill -9.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnthropicStub, startAnthropicStub, stubbed } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { responsesStub } from '@bridle/runners/engines/codex/responses-stub.suite'
import { engineEnv, noEngines } from '@bridle/runners/engines/engines.suite'
import { startTimeOf } from '@bridle/runners/process/process-table'
import { HarnessServer } from '@bridle/server/node/index'
import { get, isIdle, post, readFrames, type SseFrame } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { longTest } from '../../../../scripts/long-test.ts'
import { needs } from '../../../../scripts/needs.ts'
import { isThorough } from '../../../../scripts/variants.ts'
import { CliWorkspace } from '../cli.suite.ts'

const KEY = 'sk-the-real-key-of-the-server'
const everybody = `cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -v ^PATH > seen.txt; head -c 9000 seen.txt`
/** The server itself, and its data folder by way of every process in sight. */
const attack = (url: string) =>
  `curl -s -m 5 ${url}/sessions > reached.txt; echo $? > tried.txt; cat /proc/*/root/*/secret >> reached.txt 2>/dev/null; echo $? >> tried.txt`

describe.skipIf(noEngines !== null || needs('bubblewrap') !== null)('Walls around engines', () => {
  test('[O13] without bubblewrap it does not run: /ready and the answer say what to do, and /ws talks to scripted', async () => {
    const bare = new CliWorkspace({ ...engineEnv(), ANTHROPIC_API_KEY: KEY, PATH: '/nonexistent' })
    try {
      await bare.boot()
      const { agents } = (await get(`${bare.url}/ready`)).body as unknown as {
        agents: { name: string; needs?: string }[]
      }
      const needs = agents.find(({ name }) => name === 'claude')?.needs
      expect(needs).toMatch(/bubblewrap \(bwrap\) is not installed.*BRIDLE_SANDBOX=process/)
      expect(JSON.stringify((await post(`${bare.url}/agents/claude/x`, { prompt: 'x' })).body)).toContain('bubblewrap')
      const socket = new WebSocket(`${bare.url.replace('http', 'ws')}/ws?userId=ada`)
      await new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
      socket.send(JSON.stringify({ type: 'commands', commands: [{ type: 'submit', prompt: 'Hi' }] }))
      await expect.poll(async () => (await get(`${bare.url}/sessions/user:ada`)).body.agent).toBe('scripted')
      socket.close()
    } finally {
      await bare.remove()
    }
  })

  test('[O13] a server whose engines have no walls says so in its log; one with walls says nothing', async () => {
    for (const [backend, count] of [
      ['process', 1],
      ['bubblewrap', 0],
    ] as const) {
      const data = mkdtempSync(join(tmpdir(), 'bridle-warning-'))
      const warnings: string[] = []
      const server = await HarnessServer.start({
        port: 0,
        data,
        authToken: 't',
        env: { ...process.env, ...engineEnv(), ANTHROPIC_API_KEY: KEY, BRIDLE_SANDBOX: backend },
        log: (level, message) => level === 'warn' && warnings.push(message),
      })
      await server.close()
      rmSync(data, { recursive: true, force: true })
      expect(warnings.filter((message) => message.includes('without walls'))).toHaveLength(count)
    }
  })
})

describe.skipIf(noEngines !== null || needs('bubblewrap') !== null)('Claude Code behind a server', () => {
  let stub: AnthropicStub
  let world: CliWorkspace
  beforeAll(async () => {
    stub = await startAnthropicStub()
  })
  afterAll(() => stub?.close())
  beforeEach(async () => {
    world = new CliWorkspace({ ...engineEnv(), ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: stub.url })
    await world.boot()
  })
  afterEach(async () => {
    for (const { pid } of boxes()) kill(pid)
    await world.remove()
  })

  const agent = (id: string) => `${world.url}/agents/claude/${id}`
  const stream = (id: string) => `${agent(id)}/stream`
  const seen =
    (type: string, count = 1) =>
    (frames: readonly SseFrame[]) =>
      frames.filter((frame) => frame.data.type === type).length >= count
  const ofType = (frames: readonly SseFrame[], type: string) => frames.filter((frame) => frame.data.type === type)
  const bash = (command: string, id = 'toolu_1') => ({ tool_use: 'Bash', id, input: { command, description: 'x' } })
  const done = { blocks: [{ text: 'Done.' }] }
  const boxes = (): { pid: number; url: string }[] => {
    const folder = join(world.folder, 'data', 'sandboxes')
    try {
      return readdirSync(folder).map((id) => JSON.parse(readFileSync(join(folder, id, 'record.json'), 'utf8')))
    } catch {
      return []
    }
  }
  const kill = (pid: number) => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
  const approvals = async () =>
    (
      (await get(`${world.url}/approvals?status=pending`)).body as unknown as {
        approvals: { id: string; sessionId: string }[]
      }
    ).approvals
  const workText = (file: string) => {
    const folder = join(world.folder, 'data', 'workspaces')
    return readFileSync(join(folder, readdirSync(folder)[0] ?? '', 'work', file), 'utf8')
  }
  const workFiles = () => {
    const folder = join(world.folder, 'data', 'workspaces')
    return readdirSync(folder).flatMap((name) => readdirSync(join(folder, name, 'work')))
  }

  test('[R7] a turn and the next; the server’s key is nowhere in the sandbox', async () => {
    const prompt = stubbed({ blocks: [{ text: 'Looking. ' }, bash(`env; ${everybody}; ${attack(world.url)}`)] }, done)
    const asked = post(agent('one'), { prompt })
    const frames = readFrames(stream('one'), isIdle)
    for (let tries = 0; (await approvals()).length === 0; tries++) {
      expect(tries).toBeLessThan(500)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const [open] = await approvals()
    await post(`${world.url}/sessions/one/approvals/${open?.id}/approve`, {})
    expect((await asked).body).toMatchObject({ result: 'Done.' })
    const told = JSON.stringify(await frames)
    expect(told).toContain('added-by-the-relay')
    expect(told).not.toContain(KEY)
    expect(workText('reached.txt')).toBe('')
    expect(workText('tried.txt').trim().split('\n')).toHaveLength(2)
    expect(workText('seen.txt')).not.toContain(KEY)
    expect(stub.requests.every(({ headers }) => headers['x-api-key'] === KEY)).toBe(true)
    expect((await post(agent('one'), { prompt: stubbed({ blocks: [{ text: 'Again.' }] }) })).body).toMatchObject({
      result: 'Again.',
    })
    expect(boxes()).toHaveLength(1)

    const { body: detail } = await get(`${world.url}/sessions/one`)
    expect(detail).toMatchObject({
      capabilities: { name: 'claude', events: { token: 'native' }, features: { editedInput: true } },
    })
    expect((await get(`${world.url}/engines`)).body).toMatchObject({
      engines: expect.arrayContaining([expect.objectContaining({ agent: 'claude', available: true })]),
    })
  })

  if (isThorough)
    test('[F16] [F17] [F28] as a background session, in a workspace of its own', async () => {
      writeFileSync(join(world.folder, 'notes.txt'), 'written before')
      const started = await post(`${world.url}/sessions`, {
        engine: 'claude',
        prompt: stubbed({ blocks: [bash('cat notes.txt; echo changed > notes.txt')] }, done),
        workspace: { mode: 'write', source: world.folder },
      })
      expect(started).toMatchObject({ status: 202, body: { runner_kind: 'bridge', engine: 'claude' } })
      const url = `${world.url}/sessions/${started.body.session_id}`
      let detail = started.body
      for (let tries = 0; detail.status !== 'completed' && tries < 1_000; tries++) {
        const [asked] = detail.approvals as { id: string }[]
        if (asked) await post(`${url}/approvals/${asked.id}/approve`, {})
        await new Promise((resolve) => setTimeout(resolve, 20))
        detail = (await get(url)).body
      }
      expect(detail).toMatchObject({ status: 'completed', process_id: null, health: { score: 100 } })
      const frames = await readFrames(`${url}/events/stream`, seen('turn_end'))
      const types = frames.map(({ data }) => data.type)
      const promised = ['session_state', 'session_checkpoint', 'policy_decision', 'sandbox_notice', 'approval_required']
      expect(types).toEqual(expect.arrayContaining([...promised, 'approval_applied', 'completed']))
      expect(JSON.stringify(frames)).toContain('written before')
      expect(readFileSync(join(world.folder, 'notes.txt'), 'utf8')).toBe('written before')
      expect(readFileSync(join(String(detail.workspace_path), 'notes.txt'), 'utf8')).toBe('changed\n')
      const kinds = (detail.artifacts as { kind: string }[]).map(({ kind }) => kind)
      expect(kinds).toEqual(['final_output', 'task_graph', 'run_record', 'task_graph', 'workspace', 'task_graph'])
    })

  test('[R14] kill -9 of the server in mid-stream: the next one goes on behind the last committed frame', async () => {
    const text = Array.from({ length: 300 }, (_, index) => `${index} `).join('')
    post(agent('cut'), { prompt: stubbed({ blocks: [{ text }], chunk: 6, delayMs: 8 }) }).catch(() => {})
    const before = await readFrames(stream('cut'), seen('text_delta', 3))
    await world.kill()
    const [box] = boxes()
    await world.boot()
    const all = await readFrames(stream('cut'), isIdle)
    expect(JSON.stringify(all.slice(0, before.length))).toBe(JSON.stringify(before))
    expect(
      all.filter(({ data }) => data.type === 'error' || data.type === 'result').map(({ data }) => data.type),
    ).toEqual(['result'])
    // The provider's stream went through the server and was cut with it: the engine asked again, and its first text was
    // withdrawn. The answer has the text once.
    const { body } = await get(`${world.url}/sessions/cut`)
    expect((body as unknown as { messages: { content: string }[] }).messages.at(-1)?.content).toBe(text)
    expect(boxes().map(({ pid }) => pid)).toEqual([box?.pid])
  })

  if (isThorough)
    test('[R27] a server that is away for longer than an engine retries: the turn goes on, and nothing failed', async () => {
      const text = Array.from({ length: 300 }, (_, index) => `${index} `).join('')
      post(agent('away'), { prompt: stubbed({ blocks: [{ text }], chunk: 6, delayMs: 8 }) }).catch(() => {})
      const before = await readFrames(stream('away'), seen('text_delta', 3))
      await world.kill()
      // Six retries of the engine take about 15 seconds.
      await new Promise((resolve) => setTimeout(resolve, 30_000))
      await world.boot()
      const all = await readFrames(stream('away'), isIdle)
      expect(JSON.stringify(all.slice(0, before.length))).toBe(JSON.stringify(before))
      expect([ofType(all, 'error'), ofType(all, 'result').length]).toEqual([[], 1])
      const { messages } = (await get(`${world.url}/sessions/away`)).body as unknown as {
        messages: { content: string }[]
      }
      expect(messages.at(-1)?.content).toBe(text)
    })

  test('[R14] kill -9 of the server while an approval is open: it is answered to the next one, and runs once, as edited', async () => {
    post(agent('asks'), { prompt: stubbed({ blocks: [bash('echo asked >> out.txt')] }, done) }).catch(() => {})
    await readFrames(stream('asks'), seen('approval_requested'))
    await world.kill()
    await world.boot()
    const [open] = await approvals()
    const args = { command: 'echo edited >> out.txt', description: 'x' }
    expect((await post(`${world.url}/sessions/asks/approvals/${open?.id}/approve`, { args })).status).toBe(200)
    const frames = await readFrames(stream('asks'), isIdle)
    expect(ofType(frames, 'tool_end')).toMatchObject([{ data: { data: { isError: false } } }])
    const folder = join(world.folder, 'data', 'workspaces')
    const [name = ''] = readdirSync(folder)
    expect(readFileSync(join(folder, name, 'work', 'out.txt'), 'utf8')).toBe('edited\n')
  })

  test('[R29] kill -9 of the server while a question is open: it has the same id, and the model gets exactly the answer', async () => {
    const question = 'Which database shall I use?'
    const options = ['SQLite', 'PostgreSQL'].map((label) => ({ label, description: `About ${label}.` }))
    const input = { questions: [{ question, header: 'Database', options, multiSelect: false }] }
    const asks = { blocks: [{ tool_use: 'AskUserQuestion', id: 'toolu_1', input }] }
    post(agent('db'), { prompt: stubbed(asks, done) }).catch(() => {})
    await readFrames(stream('db'), seen('approval_requested'))
    const [before] = await approvals()
    await world.kill()
    await world.boot()
    const [open] = await approvals()
    expect(open).toMatchObject({
      ...{ id: before?.id, kind: 'question', reason: question },
      questions: [{ id: 'q1', header: 'Database', question, options, allow_free_text: true }],
    })
    const answered = await post(agent('db'), { prompt: 'SQLite' })
    expect(answered.status).toBe(200)
    await readFrames(stream('db'), isIdle)
    const { messages = [] } = stub.requests.filter(({ isAux }) => !isAux).at(-1)?.body ?? {}
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    const results = blocks.filter(({ type }) => type === 'tool_result')
    expect(results).toMatchObject([
      {
        tool_use_id: 'toolu_1',
        content: `Your questions have been answered: "${question}"="SQLite". You can now continue with these answers in mind.`,
      },
    ])
  })

  if (isThorough)
    test('[R14] kill -9 of the runner in mid-run: one end, and the next turn remembers the turns before', async () => {
      await post(agent('gone'), { prompt: `REMEMBER ${stubbed({ blocks: [{ text: 'First.' }] })}` })
      post(agent('gone'), {
        prompt: stubbed({ blocks: [{ text: 'word '.repeat(400) }], chunk: 5, delayMs: 20 }),
      }).catch(() => {})
      await readFrames(stream('gone'), seen('text_delta', 2))
      const [box] = boxes()
      kill(box?.pid ?? 0)
      const frames = await readFrames(stream('gone'), (all) => seen('idle', 2)(all))
      const ends = frames.filter(({ data }) => data.type === 'error' || data.type === 'result')
      expect(ends.map(({ data }) => data.type)).toEqual(['result', 'error'])
      expect(ends.at(-1)?.data.data).toMatchObject({ reason: 'interrupted' })
      const { body } = await post(agent('gone'), { prompt: stubbed({ blocks: [{ text: 'Third.' }] }) })
      expect(body).toMatchObject({ result: 'Third.' })
      expect(JSON.stringify(stub.requests.at(-1)?.body.messages)).toContain('REMEMBER')
      expect(boxes().map(({ pid }) => pid)).not.toContain(box?.pid)
    })

  longTest('[R13] DELETE takes the workspace and the sandbox along', async () => {
    await post(agent('del'), { prompt: stubbed({ blocks: [{ text: 'Hi.' }] }) })
    expect(workFiles()).toEqual([])
    const [box] = boxes()
    expect((await fetch(agent('del'), { method: 'DELETE' })).status).toBe(200)
    expect(boxes()).toEqual([])
    expect(readdirSync(join(world.folder, 'data', 'workspaces'))).toEqual([])
    expect(startTimeOf(box?.pid ?? 0)).toBeNull()
  })

  if (isThorough)
    test('[S65] three turns over their budget: the text of a step that ends while it is stopped is not lost', async () => {
      const ids = ['b1', 'b2', 'b3']
      const policy = { health: { max_total_tokens: 5_000 } }
      const prompt = stubbed(
        { blocks: [bash('ls')], usage: { input_tokens: 20_000 } },
        { blocks: [{ text: 'The last words.' }] },
      )
      for (const id of ids) await post(`${world.url}/chat/sessions`, { agent: 'claude', session_id: id, policy })
      for (const id of ids) await post(`${world.url}/chat/sessions/${id}/turns`, { prompt })
      const open = async (id: string) =>
        ((await get(`${world.url}/sessions/${id}`)).body.approvals ?? []) as { id: string; reason: string }[]
      for (const id of ids) {
        await expect.poll(async () => (await open(id))[0]?.reason, { timeout: 30_000 }).toContain('Over budget')
        for (const { id: approval } of await open(id))
          await post(`${world.url}/sessions/${id}/approvals/${approval}/approve`, {})
      }
      for (const id of ids) {
        await readFrames(stream(id), isIdle)
        const { messages } = (await get(`${world.url}/sessions/${id}`)).body as { messages?: { content: string }[] }
        expect([id, messages?.at(-1)?.content]).toEqual([id, 'The last words.'])
      }
      // The engine goes on behind the call, not behind words that are not in the log.
      const continued = stub.requests.filter(
        ({ body, isAux }) => !isAux && JSON.stringify(body.messages?.at(-1)).includes('The work was stopped'),
      )
      expect(continued.length).toBeGreaterThanOrEqual(3)
      for (const { body } of continued) {
        const answers = JSON.stringify(body.messages?.filter(({ role }) => role === 'assistant'))
        expect([answers.includes('toolu_1'), answers.includes('The last words.')]).toEqual([true, false])
      }
    })

  if (isThorough)
    test('[R13] an id that is used again at once has nothing of the one before', async () => {
      await post(agent('again'), { prompt: `SECRET ${stubbed({ blocks: [{ text: 'Hi.' }] })}` })
      await fetch(agent('again'), { method: 'DELETE' })
      const { body } = await post(agent('again'), { prompt: stubbed({ blocks: [{ text: 'Anew.' }] }) })
      expect(body).toMatchObject({ result: 'Anew.' })
      expect(JSON.stringify(stub.requests.at(-1)?.body.messages)).not.toContain('SECRET')
    })

  longTest('[R12] what a caller may not choose is refused or passed over', async () => {
    const prompt = stubbed({ blocks: [bash('touch unasked.txt')] }, done)
    expect((await post(agent('asks'), { prompt, max_turns: 'abc' })).status).toBe(400)
    expect((await post(agent('asks'), { prompt, max_budget_usd: -1 })).status).toBe(400)
    post(agent('asks'), { prompt, permission_mode: 'bypassPermissions' }).catch(() => {})
    await readFrames(stream('asks'), seen('approval_requested'))
    expect(workFiles()).toEqual([])
  })

  if (isThorough)
    test('[R14] a sandbox that no run names is stopped when the server starts again', async () => {
      await post(agent('idle'), { prompt: stubbed({ blocks: [{ text: 'Hi.' }] }) })
      const [box] = boxes()
      await world.kill()
      expect(startTimeOf(box?.pid ?? 0)).not.toBeNull()
      await world.boot()
      for (let tries = 0; boxes().length > 0; tries++) {
        expect(tries).toBeLessThan(500)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(startTimeOf(box?.pid ?? 0)).toBeNull()
    })
})

describe.skipIf(noEngines !== null || needs('bubblewrap') !== null)('Codex behind a server', () => {
  let stub: Awaited<ReturnType<typeof responsesStub>>
  let world: CliWorkspace
  beforeEach(async () => {
    stub = await responsesStub()
    world = new CliWorkspace({ ...engineEnv(), OPENAI_API_KEY: KEY, OPENAI_BASE_URL: stub.url })
    await world.boot()
  })
  afterEach(async () => {
    const folder = join(world.folder, 'data', 'sandboxes')
    for (const id of readdirSync(folder)) {
      const { pid } = JSON.parse(readFileSync(join(folder, id, 'record.json'), 'utf8')) as { pid: number }
      process.kill(-pid, 'SIGKILL')
    }
    await world.remove()
    await stub.close()
  })

  const agent = () => `${world.url}/agents/codex/one`
  const script = (...turns: unknown[]) => `@stub ${JSON.stringify(turns)}`
  const calls = (cmd: string) => ({ items: [{ call: 'exec_command', args: { cmd }, id: 'call_1' }] })
  const says = (text: string) => ({ items: [{ text }] })
  const workText = (file: string) => {
    const folder = join(world.folder, 'data', 'workspaces')
    return readFileSync(join(folder, readdirSync(folder)[0] ?? '', 'work', file), 'utf8')
  }
  /** The approval that it comes to wait for. */
  const asks = async () => {
    const frames = await readFrames(`${agent()}/stream`, (all) =>
      all.some(({ data }) => data.type === 'approval_requested'),
    )
    return String(frames.at(-1)?.data.data.approvalId)
  }
  const approve = (id: string) => post(`${world.url}/sessions/one/approvals/${id}/approve`, {})

  test('[R7] asks, runs what was approved, and goes on in the next turn; the key stays with the server', async () => {
    const asked = post(agent(), { prompt: script(calls('env > seen.txt; echo written'), says('Written.')) })
    await approve(await asks())
    expect((await asked).body).toMatchObject({ result: 'Written.' })
    expect((await post(agent(), { prompt: script(says('Again.')) })).body).toMatchObject({ result: 'Again.' })
    expect(JSON.stringify(stub.requests.at(-1)?.body)).toContain('Written.')
    expect(new Set(stub.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${KEY}`]))
    expect(workText('seen.txt')).not.toContain(KEY)
  })

  if (isThorough)
    test('[R14] kill -9 of the server while an approval is open: it is answered to the next one, and runs once', async () => {
      post(agent(), { prompt: script(calls('echo ran >> out.txt'), says('Done.')) }).catch(() => {})
      const approvalId = await asks()
      await world.kill()
      await world.boot()
      expect((await approve(approvalId)).status).toBe(200)
      const frames = await readFrames(`${agent()}/stream`, isIdle)
      const ends = frames.filter(({ data }) => data.type === 'error' || data.type === 'result')
      expect(ends.map(({ data }) => [data.type, data.data.result])).toEqual([['result', 'Done.']])
      expect(workText('out.txt')).toBe('ran\n')
    })

  if (isThorough)
    test('[R29] kill -9 of the server while a question is open: the model gets the answer that was typed as a prompt', async () => {
      const options = ['SQLite', 'PostgreSQL'].map((label) => ({ label, description: `About ${label}.` }))
      const questions = [{ id: 'db', header: 'Database', question: 'Which?', options }]
      const question = { items: [{ call: 'request_user_input', args: { questions }, id: 'call_1' }] }
      post(agent(), { prompt: script(question, says('Done.')) }).catch(() => {})
      const approvalId = await asks()
      await world.kill()
      await world.boot()
      const { body } = await get(`${world.url}/sessions/one`)
      expect(body.approvals).toMatchObject([{ id: approvalId, kind: 'question', questions: [{ id: 'db' }] }])
      post(agent(), { prompt: 'Neither, use files.' }).catch(() => {})
      const frames = await readFrames(`${agent()}/stream`, isIdle)
      const ends = frames.filter(({ data }) => data.type === 'error' || data.type === 'result')
      expect(ends.map(({ data }) => [data.type, data.data.result])).toEqual([['result', 'Done.']])
      const input = (stub.requests.at(-1)?.body.input ?? []) as { type?: string; output?: string }[]
      const outputs = input.filter(({ type }) => type === 'function_call_output').map(({ output }) => output)
      expect(outputs).toEqual(['{"answers":{"db":{"answers":["user_note: Neither, use files."]}}}'])
    })
})
