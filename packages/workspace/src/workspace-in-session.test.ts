// The tools of a workspace in sessions: folders, policy, approvals, and processes that end in the middle of a call.

import { agent } from '@bridle/agents/agent'
import { type Answering, keyOf, LoopWorld, lastResults, lastText, stubModel } from '@bridle/agents/loop/loop.suite'
import type { PolicyRule } from '@bridle/agents/policy'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { afterEach, expect, test } from 'vitest'
import { needs } from '../../../scripts/needs.ts'
import { TestWorkspace } from './workspace.suite.ts'
import { type WorkspaceSettings, workspace } from './workspace.ts'

const places: TestWorkspace[] = []
afterEach(() => {
  for (const place of places.splice(0)) place.remove()
})

const folderWith = (files: Readonly<Record<string, string>> = {}): TestWorkspace => {
  const place = new TestWorkspace(files)
  places.push(place)
  return place
}

/** An agent that makes the calls of its prompt, `[tool, input]` as JSON, and answers with their results. */
const caller = (settings: WorkspaceSettings, policy: readonly PolicyRule[] = []) => {
  const answer: Answering = (prompt) => {
    const results = lastResults(prompt)
    return results ? { text: JSON.stringify(results) } : { calls: JSON.parse(lastText(prompt)) }
  }
  return agent({ name: 'tested', model: stubModel(answer), tools: [workspace(settings)], policy })
}

/** Real files take real time. */
const resultOf = async (world: LoopWorld, turns: number, key = keyOf()): Promise<unknown> => {
  await expect.poll(async () => (await world.payloads('turn_end', key)).length).toBe(turns)
  return JSON.parse(String(await world.result(key)))
}

test('[N143] each session works in its own folder, turn after turn', async () => {
  const world = new LoopWorld(caller({ shell: false }))
  const sessions = ['a', 'b', 'c'].map((id) => ({ key: keyOf(id), place: folderWith() }))
  for (const turn of [1, 2]) {
    await Promise.all(
      sessions.map(({ key, place }) => {
        const input = { path: `${turn}.txt`, text: `${key.id}${turn}` }
        const opening = { kind: 'chat', settings: { workspace_path: place.root } } as const
        return world.submit(JSON.stringify([['write_file', input]]), key, opening)
      }),
    )
    for (const { key } of sessions)
      expect(await resultOf(world, turn, key)).toEqual([{ path: `${turn}.txt`, bytes: 2, created: true }])
  }
  for (const { key, place } of sessions)
    expect([place.read('1.txt'), place.read('2.txt')]).toEqual([`${key.id}1`, `${key.id}2`])
})

test('[N147] an edit whose process ended before its outcome was known is repeated, and edits nothing twice', async () => {
  const place = folderWith({ 'a.txt': 'one\n' })
  const world = new LoopWorld(caller({ root: place.root, shell: false }))
  world.log.before = ({ events }) => {
    if (!events.some(({ type }) => type === 'tool_outcome')) return
    world.kill()
    throw new StoreFault('fenced', 'The process is dead.')
  }
  await world.submit(JSON.stringify([['edit_file', { path: 'a.txt', old_text: 'one\n', new_text: 'one\ntwo\n' }]]))
  await expect.poll(() => world.isDead).toBe(true)
  expect(place.read('a.txt')).toBe('one\ntwo\n')
  const next = await world.again()
  expect(await resultOf(next, 1)).toEqual([{ path: 'a.txt', changed: false, note: 'The new text is there already.' }])
  expect(place.read('a.txt')).toBe('one\ntwo\n')
})

test('[N144] a path that leads out is told to the model, and the turn goes on', async () => {
  const world = new LoopWorld(caller({ root: folderWith().root, shell: false }))
  await world.submit(JSON.stringify([['read_file', { path: '../outside/secret.txt' }]]))
  expect(await resultOf(world, 1)).toEqual(['"../outside/secret.txt" has "..". Give a path relative to the workspace.'])
  expect(await world.outcomes()).toEqual(['read_file error'])
})

test.skipIf(needs('bubblewrap'))(
  '[N151] commands are under policy, and without a sandbox each one waits for a person',
  async () => {
    const place = folderWith()
    const policy = [{ tool: 'shell', command: 'rm *', do: 'deny', reason: 'Nothing is deleted.' }] as const
    const world = new LoopWorld({
      inside: caller({ root: place.root, shell: 'sandboxed' }, policy),
      outside: caller({ root: place.root, shell: 'unsandboxed' }, policy),
    })
    const [inside, outside] = [keyOf('s1', 'inside'), keyOf('s2', 'outside')]
    for (const key of [inside, outside]) {
      await world.submit(JSON.stringify([['shell', { command: 'rm -r .' }]]), key)
      expect(await resultOf(world, 1, key)).toEqual(['The call was not made: Nothing is deleted.'])
      await world.submit(JSON.stringify([['shell', { command: 'echo hello' }]]), key)
    }
    expect(await resultOf(world, 2, inside)).toEqual([{ exit_code: 0, output: 'hello\n' }])
    await expect.poll(async () => (await world.payloads('approval_required', outside)).length).toBe(1)
    await world.approve('approved', undefined, outside)
    expect(await resultOf(world, 2, outside)).toEqual([{ exit_code: 0, output: 'hello\n' }])
    expect(await world.payloads('approval_required', inside)).toEqual([])
  },
)
