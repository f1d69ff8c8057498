// Agents that ask another agent, behind a real server that is killed while parents and children are under way.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorkspace } from '../cli.suite.ts'

const packageFolder = fileURLToPath(new URL('../../../bridle', import.meta.url))

const editor = `
import { appendFileSync } from 'node:fs'
import { agent, subagent, tool } from 'bridle'
import { scriptedModel } from 'bridle/testing'

// A deed that is done again has the same key.
const deed = (name, approve) =>
  tool({
    ...{ name, approve, description: 'Does ' + name + '.', effect: 'idempotent' },
    run: ({ who }, { stepKey }) => appendFileSync('ledger.txt', name + ' ' + who + ' ' + stepKey + '\\n'),
  })
const sender = agent({
  name: 'sender',
  description: 'Sends letters.',
  tools: [deed('stamp', false), deed('send', true)],
  model: scriptedModel(({ prompt, step }) => [
    { calls: [{ tool: 'stamp', input: { who: prompt } }] },
    { calls: [{ tool: 'send', input: { who: prompt } }] },
    { text: 'Sent to ' + prompt + '.' },
  ][step - 1]),
})

export default agent({
  name: 'editor',
  use: [subagent({ agents: [sender] })],
  model: scriptedModel(({ prompt, step }) =>
    step === 1
      ? { calls: ['Ada', 'Ben'].map((who) => ({ tool: 'ask_sender', input: { task: prompt + '-' + who } })) }
      : { text: 'Both letters of ' + prompt + ' are out.' }),
})
`

let world: CliWorkspace
beforeEach(async () => {
  world = new CliWorkspace()
  mkdirSync(join(world.folder, 'agents'))
  mkdirSync(join(world.folder, 'node_modules'))
  symlinkSync(packageFolder, join(world.folder, 'node_modules', 'bridle'))
  writeFileSync(join(world.folder, 'agents', 'editor.ts'), editor)
  await world.boot()
})
afterEach(() => world.remove())

const restart = async () => {
  await world.kill()
  await world.boot()
}
/** The inbox: the ids of questions by the session that asks. */
const pending = async (): Promise<Record<string, string>> => {
  const { body } = await get(`${world.url}/approvals?status=pending`)
  const { approvals } = body as unknown as { approvals: { id: string; sessionId: string }[] }
  return Object.fromEntries(approvals.map(({ id, sessionId }) => [sessionId, id]))
}
const session = async (id: string) => (await get(`${world.url}/sessions/${id}`)).body
const parents = ['k1', 'k2', 'k3']

interface NamedApproval {
  readonly id: string
  readonly child: { readonly id: string; readonly approvalId: string }
}
/** The same questions, as the parents name them. */
const named = async (): Promise<Record<string, string>> => {
  const lists = await Promise.all(
    parents.map(async (id) => (await session(id)).approvals as unknown as readonly NamedApproval[]),
  )
  return Object.fromEntries(lists.flat().map(({ child }) => [child.id, child.approvalId]))
}

test('[N125] [N126] [N132] [S76] [S77] kill -9 of parents and children at once: both go on, and each letter goes out once', {
  timeout: 120_000,
}, async () => {
  for (const id of parents) void post(`${world.url}/agents/editor/${id}`, { prompt: id }).catch(() => {})
  await expect.poll(async () => Object.keys(await pending()).length, { timeout: 15_000 }).toBe(6)
  const questions = await pending()
  await restart()
  expect(await pending()).toEqual(questions)
  // The parent has a question when the child's notice has arrived.
  await expect.poll(named, { timeout: 15_000 }).toEqual(questions)
  for (const [index, [child, id]] of Object.entries(questions).entries()) {
    const asking = await session(child)
    expect(asking).toMatchObject({ status: 'awaiting_approval', agent: 'editor.sender' })
    const own = `${child}/approvals/${id}`
    const onParent = `${asking.parent_session_id}/approvals/${child}:${id}`
    const [path, other] = index % 2 === 0 ? [own, onParent] : [onParent, own]
    expect((await post(`${world.url}/sessions/${path}/approve`, {})).status).toBe(200)
    expect((await post(`${world.url}/sessions/${other}/reject`, {})).status).toBe(409)
    // In the middle of whatever follows from the answer.
    if (index === 3) await restart()
  }
  for (const id of parents) {
    await expect.poll(async () => (await session(id)).status, { timeout: 20_000 }).toBe('idle')
    const told = JSON.stringify(await session(id))
    expect(told).toContain(`Both letters of ${id} are out.`)
    const { subagents, approvals } = (await session(id)) as { subagents: { status: string }[]; approvals: object[] }
    expect(approvals).toEqual([])
    expect(subagents.map(({ status }) => status)).toEqual(['completed', 'completed'])
  }
  const lines = new Set(readFileSync(join(world.folder, 'ledger.txt'), 'utf8').trim().split('\n'))
  const deeds = [...lines].map((line) => line.split(' ').slice(0, 2).join(' '))
  const letters = parents.flatMap((id) => [`${id}-Ada`, `${id}-Ben`])
  expect(deeds.toSorted()).toEqual(['send', 'stamp'].flatMap((deed) => letters.map((letter) => `${deed} ${letter}`)))
  // Nobody starts a session of the agent that only the editor may ask.
  expect((await post(`${world.url}/agents/editor.sender/own`, { prompt: 'x' })).status).toBe(404)
})
