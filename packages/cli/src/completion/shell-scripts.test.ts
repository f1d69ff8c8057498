// The scripts as texts. bash runs its own in follow.test.ts; zsh and fish are not on every machine.
import { expect, test } from 'vitest'
import { verbs } from '../verbs.ts'
import { completionVerbs, shellScripts } from './shell-scripts.ts'

const scriptFor = async (shell: string): Promise<string> => shellScripts[shell]?.(await completionVerbs(verbs)) ?? ''

test('[C162] fish goes by the word behind the program, since a prompt may have the name of a verb in it', async () => {
  const lines = (await scriptFor('fish')).split('\n').filter((line) => line.startsWith('complete -c bridle '))
  expect(lines[0]).toBe('complete -c bridle -f')
  for (const line of lines.slice(1)) expect(line).toMatch(/ -n '__bridle_(start|verb|first)\b/)
  for (const name of Object.keys(verbs))
    expect(lines.some((line) => line.includes(`-n '__bridle_start' -a ${name} -d `))).toBe(true)
  const sessions = lines.find((line) => line.includes('(bridle completion sessions 2>/dev/null)'))
  expect(sessions).toMatch(/-n '__bridle_first .*\binspect\b.*' -f -a/)
  const agents = lines.find((line) => line.includes('(bridle completion agents 2>/dev/null)'))
  expect(agents).toMatch(/-n '__bridle_first chat run' -f -a/)
  expect(lines.at(-1)).toMatch(/'__bridle_verb init run .*; and not __bridle_first .*\brun\b.*' -F$/)
})

test('[C162] the value of a flag is a file where it can be one', async () => {
  const script = await scriptFor('fish')
  expect(script).toContain(`-n '__bridle_verb export' -l output -s o -r -F -d`)
  expect(script).toContain(`-n '__bridle_verb logs' -l tier -x -d`)
  expect(script).toContain(`-n '__bridle_verb logs' -l follow -s f -d`)
})

test('[C162] zsh offers files to the verbs that take one, and help beside the verbs', async () => {
  const script = await scriptFor('zsh')
  const withFiles = /\n {6}(init\|.*)\) ;;\n {6}\*\) return 1 ;;/.exec(script)?.[1]?.split('|')
  expect(withFiles).toEqual(expect.arrayContaining(['init', 'run', 'import', 'replay', 'backup', 'branch']))
  expect(withFiles).not.toEqual(expect.arrayContaining(['sessions']))
  expect(script).toContain(`'help:explain a verb' '--help:list the verbs' '--version:print the version'`)
})
