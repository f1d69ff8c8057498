import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRepository } from './repository-texts.ts'
import { skillFolders } from './skill-folders.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-skills-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const skill = (name: string) =>
  `---\nname: ${name}\ndescription: About ${name}.\nallowed-tools: Bash(*)\n---\nText of ${name}.`

test('[N263] [N264] a folder of skills is read as that of a repository, with the files beside each', () => {
  put('skills/release/SKILL.md', skill('release'))
  put('skills/release/docs/template.md', 'The template.')
  put('skills/other/SKILL.md', skill('other'))
  put('skills/bare/SKILL.md', 'No description.')
  put('secret.md', 'the secret')
  put('skills/README.md', 'Not a skill.')
  symlinkSync('../../secret.md', join(root, 'skills/release/link.md'))
  const { skills, files, leftOut, ignored } = skillFolders(root)(['./skills', 'missing', join(root, 'secret.md')])
  expect(skills.map(({ name, description }) => [name, description])).toEqual([
    ['other', 'About other.'],
    ['release', 'About release.'],
  ])
  expect(files.map(({ path }) => path)).toEqual(['skills/other/SKILL.md', 'skills/release/SKILL.md'])
  expect(leftOut).toEqual([
    { path: 'skills/bare/SKILL.md', reason: 'has no description' },
    { path: 'missing', reason: 'is not a folder that can be read' },
    { path: join(root, 'secret.md'), reason: 'is not a folder that can be read' },
  ])
  expect(ignored).toContainEqual({ path: 'skills/release/SKILL.md', keys: ['allowed-tools'] })
  const read = skills[1]?.read ?? (() => null)
  expect([null, 'SKILL.md', 'docs/template.md', './docs/../docs/template.md'].map(read)).toEqual([
    { text: 'Text of release.' },
    { text: 'Text of release.' },
    expect.objectContaining({ text: 'The template.' }),
    expect.objectContaining({ text: 'The template.' }),
  ])
  const problems = [
    '../other/SKILL.md',
    '../../secret.md',
    '/etc/passwd',
    '..\\other\\SKILL.md',
    'link.md',
    'none',
    'docs',
  ]
  expect(problems.map(read)).toEqual([
    { problem: '../other/SKILL.md is outside of the folder of the skill.' },
    { problem: '../../secret.md is outside of the folder of the skill.' },
    { problem: '/etc/passwd is outside of the folder of the skill.' },
    { problem: '..\\other\\SKILL.md is outside of the folder of the skill.' },
    { problem: 'link.md is a link or behind one, and links are not followed.' },
    { problem: 'The skill has no file none.' },
    { problem: 'docs is not a file.' },
  ])
  rmSync(join(root, 'skills'), { recursive: true })
  expect(read('docs/template.md')).toEqual({ problem: 'docs/template.md could not be read.' })
})

test('[N263] [EN1] one folder serves engines and agents with a model', () => {
  put('.claude/skills/release/SKILL.md', skill('release'))
  const shown = (skills: readonly { readonly name: string; readonly description: string }[]) =>
    skills.map(({ name, description }) => [name, description])
  const own = skillFolders(root)(['.claude/skills'])
  expect(shown(own.skills)).toEqual([['release', 'About release.']])
  expect(shown(readRepository(root).texts.skills)).toEqual(shown(own.skills))
  expect(readRepository(root).loaded.files[0]?.digest).toBe(own.files[0]?.digest)
})
