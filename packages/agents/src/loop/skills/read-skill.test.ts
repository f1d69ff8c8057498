import { expect, test } from 'vitest'
import { agent } from '../../agent.ts'
import type { ModelMessage } from '../../model/model.ts'
import type { FoundSkill, SkillFolders } from '../../skills/skill.ts'
import { keyOf, LoopWorld, lastResults, lastText, stubModel } from '../loop.suite.ts'

const systemOf = ([first]: readonly ModelMessage[]): string => (first?.role === 'system' ? first.content : '')
const instructions: string[] = []
/** Reads the skill, and the file, that the prompt names, and repeats the result. */
const reader = stubModel((prompt) => {
  instructions.push(systemOf(prompt))
  const results = lastResults(prompt)
  if (results) return { text: String(results[0]) }
  const [name, file] = lastText(prompt).split(' ')
  return { calls: [['read_skill', { name, ...(file && { file }) }]] }
})

const found = (name: string, text: string): FoundSkill => ({
  name,
  description: `About ${name}.`,
  read: (file) => (file === null ? { text } : { problem: `The skill has no file ${file}.` }),
})
const folders = (...skills: readonly FoundSkill[]): SkillFolders => ({
  skills,
  files: skills.map(({ name }) => ({ path: `skills/${name}/SKILL.md`, digest: 'd', bytes: 1 })),
  leftOut: [{ path: 'skills/bare/SKILL.md', reason: 'has no description' }],
  ignored: [{ path: 'skills/release/SKILL.md', keys: ['allowed-tools'] }],
})
const world = (options: object, skillFolders?: (names: readonly string[]) => SkillFolders) =>
  new LoopWorld(
    agent({ name: 'tested', model: reader, policy: [{ tool: '*', do: 'deny' }], ...options } as never),
    ...[undefined, undefined, undefined],
    skillFolders ? { skillFolders } : {},
  )
const value = { name: 'tone', description: 'How we write.', text: 'Short sentences.' }

test('[N264] the model reads of each skill what it is for, and the text of one on demand', async () => {
  const it = world({ instructions: 'You help.', skills: ['skills', value] }, (names) =>
    folders(found('release', `Text of ${names[0]}.`)),
  )
  const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
  instructions.length = 0
  for (const prompt of ['release', 'tone', 'tone SKILL.md']) for (const key of keys) await it.submit(prompt, key)
  await it.quiet()
  for (const key of keys)
    expect((await it.payloads('completed', key)).map(({ result }) => result)).toEqual([
      'Text of skills.',
      'Short sentences.',
      'Short sentences.',
    ])
  const [first] = instructions
  expect(first).toMatch(/^You help\.\n\n# Skills\n\n/)
  expect(first).toContain('- tone: How we write.\n- release: About release.')
  expect(first).not.toContain('Short sentences.')
  for (const prompt of ['nothing', 'release x.md', 'tone x.md']) await it.ask(prompt)
  expect((await it.payloads('completed')).map(({ result }) => String(result))).toEqual([
    expect.stringContaining('There is no skill "nothing". There are: tone, release.'),
    expect.stringContaining('The skill has no file x.md.'),
    expect.stringContaining('The skill "tone" has no files beside its text.'),
  ])
})

test('[N265] what was read is in the log when it changes, and a change counts from the next turn', async () => {
  let text = 'One.'
  const it = world({ skills: ['skills'] }, () => {
    const now = folders(found('release', text))
    return { ...now, files: now.files.map((file) => ({ ...file, digest: text })) }
  })
  for (const prompt of ['release', 'release']) await it.ask(prompt)
  text = 'Two.'
  await it.ask('release')
  expect((await it.payloads('completed')).map(({ result }) => result)).toEqual(['One.', 'One.', 'Two.'])
  const loaded = await it.payloads('instructions_loaded')
  expect(loaded.map(({ files }) => files)).toEqual(
    ['One.', 'Two.'].map((digest) => [{ path: 'skills/release/SKILL.md', kind: 'skill', digest, bytes: 1 }]),
  )
  expect(loaded[0]).toMatchObject({ ignored: [{ path: 'skills/release/SKILL.md', keys: ['allowed-tools'] }] })
  expect((await it.payloads('context_warning')).map(({ message }) => message)).toEqual([
    'Some instructions of the repository are left out: skills/bare/SKILL.md has no description.',
  ])
})

test('[N266] without files a run with folders fails with what to do; values work, and come first', async () => {
  const none = world({ skills: ['skills', value] })
  await none.ask('tone')
  expect((await none.payloads('error')).map(({ message }) => message)).toEqual([
    'This server reads no folders of skills. Give the skills as values: skills: [{ name, description, text }].',
  ])
  const values = world({ skills: [value] })
  await values.ask('tone')
  expect(await values.result()).toBe('Short sentences.')
  const both = world({ skills: ['skills', value] }, () => folders(found('tone', 'Of the folder.')))
  await both.ask('tone')
  expect(await both.result()).toBe('Short sentences.')
})

test('[N265] folders without a skill add nothing to a turn', async () => {
  instructions.length = 0
  const plain = stubModel((prompt, { tools = [] }) => {
    instructions.push(`${systemOf(prompt)}|${tools.map(({ name }) => name)}`)
    return { text: 'Hello.' }
  })
  const it = world({ model: plain, skills: ['skills'] }, () => ({ skills: [], files: [], leftOut: [], ignored: [] }))
  await it.ask('Hello')
  expect([instructions, await it.payloads('instructions_loaded')]).toEqual([['|'], []])
})

test.each<[unknown, RegExp]>([
  ['skills', /the skills of "tested" are not a list/],
  [[7], /neither a folder nor \{ name, description, text \}/],
  [[''], /neither a folder nor/],
  [[{ ...value, name: 'two words' }], /a name has letters, digits/],
  [[{ ...value, name: 'constructor' }], /a name has letters, digits/],
  [[{ ...value, description: '' }], /the description of "tone" is not a text/],
  [[{ ...value, text: 7 }], /the text of "tone" is not a text/],
  [[value, value], /two skills with the name "tone"/],
  [Array(65).fill('skills'), /more than 64 skills/],
])('[N263] skills %j is a TypeError that names the field', (skills, message) => {
  expect(() => agent({ name: 'tested', model: reader, skills } as never)).toThrow(message)
})
