// The tasks of the app with the scripted agent in place of Claude: no key, no network, no sandbox.
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startTasks, type Tasks } from '../tasks.ts'

const repository = mkdtempSync(join(tmpdir(), 'repository-'))
const data = mkdtempSync(join(tmpdir(), 'tasks-'))
writeFileSync(join(repository, 'README.md'), '# A project\n')
let tasks: Tasks
before(async () => {
  tasks = await startTasks({ agent: 'scripted', repository }, { data, log: () => {} })
})
after(() => tasks.close())

/** The script that the scripted agent plays. */
const script = (...steps: object[]) => `@script ${JSON.stringify(steps)}`

const start = () =>
  tasks.start(
    script({ text: 'I write a file. ' }, { approve: 'write_file', args: { path: 'a.txt' } }, { text: 'Done.' }),
  )

const play = async (isApproved: boolean, id?: string) => {
  id ??= await start()
  let said = ''
  for await (const event of tasks.events(id)) {
    if (event.type === 'text_delta') said += event.data.delta
    if (event.type === 'approval_requested') await tasks.decide(id, event.data.approvalId, isApproved)
    if (event.type === 'idle') break
  }
  return said
}

test('the app can begin tasks', async () => {
  assert.equal(await tasks.problem(), null)
})

test('a task waits for its approval, and goes on', async () => {
  assert.equal(await play(true), 'I write a file. Done.')
})

test('a page that was reloaded sees the whole task again, with the approval that waits', async () => {
  const id = await start()
  for await (const { type } of tasks.events(id)) if (type === 'approval_requested') break
  assert.equal(await play(true, id), 'I write a file. Done.')
})

test('tasks run beside each other', async () => {
  const [one, two] = await Promise.all([play(true), play(false)])
  assert.match(one, /Done\.$/)
  assert.match(two, /^I write a file\. /)
})

test('a task that is refused says why, in a sentence', async () => {
  await assert.rejects(tasks.start(''), ({ message }: Error) => /prompt/.test(message) && !/[{]|answered/.test(message))
})

test('a question waits for its answer, and an answer that does not fit says why', async () => {
  const id = await tasks.start(script({ ask: 'Which database?', id: 'db', options: ['SQLite'] }, { text: 'Thanks.' }))
  let result: unknown
  for await (const { type, data } of tasks.events(id)) {
    if (type === 'approval_requested') {
      const { approvalId } = data
      await assert.rejects(tasks.answer(id, approvalId, { answers: { db: 'Oracle' } }), /"Oracle" is not an option/)
      await tasks.answer(id, approvalId, { answers: { db: 'SQLite' } })
    }
    if (type === 'tool_end') result = data.result
    if (type === 'idle') break
  }
  assert.deepEqual(result, { answers: { db: 'SQLite' } })
})
