// Questions on a line: they are read aloud, and speech answers them.
import { key } from '@bridle/kernel/host/host.suite'
import { afterEach, expect, test } from 'vitest'
import { cascadeWorld, script } from './cascade-world.suite.ts'

type World = ReturnType<typeof cascadeWorld>
const worlds: World[] = []
afterEach(async () => {
  for (const { host } of worlds.splice(0)) await host.stop()
})

const choice = { ask: 'Which *database*?', id: 'db', options: ['SQLite', 'PostgreSQL'] }
const several = {
  ask: {
    questions: [
      { id: 'db', question: 'Which database?', options: ['SQLite', 'PostgreSQL'] },
      { id: 'name', question: 'What name?', allow_free_text: true },
    ],
  },
}

/** Lines whose sessions have asked, and whose speakers say what the test sets. */
const asking = async (ids: readonly string[], ...steps: readonly object[]) => {
  const world = cascadeWorld()
  worlds.push(world)
  world.stub.transcript = () => script(...steps, { text: 'Thanks.' })
  const opened = await Promise.all(ids.map((id) => world.open(id)))
  for (const { speak } of opened) await speak()
  await world.pass(60_000)
  const say = async (index: number, words: string) => {
    world.stub.transcript = () => words
    await opened[index]?.speak()
    await world.pass(60_000)
  }
  const open = (index: number) => Object.values(opened[index]?.session.state.approvals.open ?? {})
  const answersOf = async (id: string) =>
    (await world.eventsOf(id, 'approval_decided')).map((each) => Object(each).answers)
  /** The last prompt, which may be in the queue. */
  const said = (index: number) =>
    opened[index]
      ?.messages()
      .filter(([role]) => role === 'user')
      .at(-1)?.[1]
  return { ...world, opened, say, said, open, answersOf }
}

test('[V114] a question is read with its options, and an option is the answer, in three sessions', async () => {
  const { stub, say, said, answersOf } = await asking(['a', 'b', 'c'], choice)
  expect(stub.words.filter((words) => words === 'Which database?')).toHaveLength(3)
  expect(stub.words.slice(-3)).toEqual(['Which database?', 'First: SQLite.', 'Second: PostgreSQL.'])
  await say(2, 'I take the second one.')
  await say(0, 'SQLite, please.')
  await say(1, 'PostgreSQL')
  expect([await answersOf('a'), await answersOf('b'), await answersOf('c')]).toEqual([
    [{ db: 'SQLite' }],
    [{ db: 'PostgreSQL' }],
    [{ db: 'PostgreSQL' }],
  ])
  // The conversation has the words, and the run goes on aloud.
  expect(said(2)).toBe('I take the second one.')
  expect(stub.words.filter((words) => words === 'Thanks.')).toHaveLength(3)
})

test('[V116] words that are no option repeat the options once, and then are a prompt like any other', async () => {
  const { stub, say, said, open, answersOf, opened } = await asking(['a'], choice)
  const before = stub.words.length
  await say(0, 'yes')
  expect(stub.words.slice(before)).toEqual(['That is none of the options.', 'First: SQLite.', 'Second: PostgreSQL.'])
  expect(opened[0]?.messages()).toHaveLength(2)
  await say(0, 'What is the difference?')
  expect(stub.words.slice(before)).toHaveLength(3)
  expect([said(0), opened[0]?.session.state.lifecycle.queue.length]).toEqual(['What is the difference?', 1])
  expect(open(0)).toHaveLength(1)
  await say(0, 'SQLite')
  expect(await answersOf('a')).toEqual([{ db: 'SQLite' }])
})

test('[V117] several questions are asked one after the other, and answered at once', async () => {
  const { stub, say, said, open, answersOf } = await asking(['a', 'b'], several)
  expect(stub.words.slice(-4)).toEqual([
    'I have 2 questions.',
    'Which database?',
    'First: SQLite.',
    'Second: PostgreSQL.',
  ])
  await say(0, 'the first')
  expect([stub.words.at(-1), open(0).length]).toEqual(['What name?', 1])
  await say(1, 'MySQL')
  await say(1, 'two')
  await say(1, 'Bob')
  await say(0, 'Ann')
  expect([await answersOf('a'), await answersOf('b')]).toEqual([
    [{ db: 'SQLite', name: 'Ann' }],
    [{ db: 'PostgreSQL', name: 'Bob' }],
  ])
  expect(said(0)).toBe('the first\nAnn')
})

test('[V117] an answer from elsewhere ends the questions of the line', async () => {
  const { host, say, open, answersOf, opened } = await asking(['a'], several, choice)
  await say(0, 'the first')
  const approvalId = open(0)[0]?.id ?? ''
  const answers = { db: 'PostgreSQL', name: 'Cleo' }
  await host.send(key('a'), { type: 'approve', approvalId, decision: 'approved', answers })
  await say(0, 'SQLite')
  expect(await answersOf('a')).toEqual([answers, { db: 'SQLite' }])
  expect(opened[0]?.client.faults).toEqual([])
})

test('[V118] a form and a long list of options wait in the inbox, and speech is a prompt', async () => {
  const form = { ask: { schema: { type: 'object', properties: { port: { type: 'integer' } } } } }
  const long = { ask: 'Which?', options: Array.from({ length: 10 }, (_, index) => `Option ${index}`) }
  for (const step of [form, long]) {
    const { stub, say, said, open, opened } = await asking(['a'], step)
    expect(stub.words.at(-1)).toBe('It waits in the inbox.')
    await say(0, 'Option 3')
    expect([open(0).length, said(0), opened[0]?.session.state.lifecycle.queue.length]).toEqual([1, 'Option 3', 1])
  }
})

test('[V119] a spoken yes approves no tool, beside a question or alone, and answers no question of a typed turn', async () => {
  const { say, open, answersOf } = await asking(['a'], { approve: 'send_mail', reason: 'Mail?' })
  for (const words of ['yes', 'first', 'approve']) await say(0, words)
  expect(open(0)).toHaveLength(1)
  expect(await answersOf('a')).toEqual([])
  const typed = await asking(['b'])
  await typed.host.send(key('b'), { type: 'submit', prompt: script({ ...choice, options: ['yes', 'no'] }) })
  await typed.pass(1_000)
  await typed.say(0, 'yes')
  expect(typed.open(0)).toHaveLength(1)
})

test('[V120] a line that is opened while a question is open reads it again', async () => {
  const { stub, opened, open, settle, pass, answersOf } = await asking(['a'], choice)
  opened[0]?.line.close()
  await settle()
  const before = stub.words.length
  const again = await (worlds.at(-1) as World).open('a')
  await pass(60_000)
  expect(stub.words.slice(before)).toEqual(['Which database?', 'First: SQLite.', 'Second: PostgreSQL.'])
  stub.transcript = () => 'number two'
  await again.speak()
  await settle()
  expect(await answersOf('a')).toEqual([{ db: 'PostgreSQL' }])
  expect(open(0)).toEqual([])
})
