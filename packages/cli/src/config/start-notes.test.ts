import { settingRows, variablesOf } from '@bridle/server/settings'
import { expect, test } from 'vitest'
import { defaultAgentNotes, INTERNAL_VARIABLES, OTHER_VARIABLES, variableNotes } from './start-notes.ts'

const served = { agents: ['helper', 'scripted'] }

test.each<[NodeJS.ProcessEnv, string[]]>([
  [{ BRIDLE_TOKN: '1' }, ['BRIDLE_TOKN is not read. Did you mean FABRIC_HARNESS_API_TOKEN?']],
  // Examples of shells read this one, and no server does: set for a server, it would leave that open without a word.
  [{ BRIDLE_AUTH_TOKEN: 'x' }, ['BRIDLE_AUTH_TOKEN is not read. Did you mean FABRIC_HARNESS_API_TOKEN?']],
  [{ BRIDLE_PORT: '80' }, ['BRIDLE_PORT is not read. Did you mean PORT?']],
  [{ BRIDLE_MODLE: 'x' }, ['BRIDLE_MODLE is not read. Did you mean BRIDLE_MODEL?']],
  [
    { FABRIC_HARNESS_API_TOKN: 'secret' },
    ['FABRIC_HARNESS_API_TOKN is not read. Did you mean FABRIC_HARNESS_API_TOKEN?'],
  ],
  [{ BRIDLE_XYZZY: '1' }, ['BRIDLE_XYZZY is not read.']],
  [{ BRIDLE_AGENT: 'helpr' }, ['BRIDLE_AGENT is helpr, and there is no such agent. Did you mean helper?']],
  [{ BRIDLE_AGENT: 'helper', BRIDLED: '1', PORT: '1', FABRIC_HOME: '/' }, []],
  [{ BRIDLE_ENGINES: '/nope' }, ['BRIDLE_ENGINES is /nope, and there is no such folder.']],
  [{ BRIDLE_ENGINES: import.meta.dirname }, []],
])('[C311] %o', (env, notes) => expect([...variableNotes(env), ...defaultAgentNotes(env, served)]).toEqual(notes))

test('[C311] the default agent of the settings file goes before the variable', () => {
  expect(defaultAgentNotes({ BRIDLE_AGENT: 'helpr' }, { ...served, defaultAgent: 'helper' })).toEqual([])
  expect(defaultAgentNotes({ BRIDLE_AGENT: 'helper' }, { ...served, defaultAgent: 'xyz' })).toEqual([
    'defaultAgent is xyz, and there is no such agent.',
  ])
})

test('[C311] no name of ours has a line', () => {
  const names = [...settingRows.flatMap(variablesOf), ...INTERNAL_VARIABLES, ...OTHER_VARIABLES]
  expect(variableNotes(Object.fromEntries(names.map((name) => [name, ''])))).toEqual([])
})
