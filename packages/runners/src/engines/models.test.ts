import { expect, test } from 'vitest'
import { engineDescriptions } from '../engine-table/descriptions.ts'
import {
  defaultModel,
  type EngineModel,
  effortChoiceProblem,
  modelChoiceProblem,
  modelChoices,
  providerModels,
} from './models.ts'

const known: readonly EngineModel[] = [
  { id: 'small', title: 'Small, the newest', family: 'acme-small-*' },
  { id: 'acme-large-2', title: 'Large 2' },
  { id: 'acme-small-2', title: 'Small 2' },
]
const ids = (models?: readonly string[], model?: string) => modelChoices({ known, models, model }).map(({ id }) => id)

test.each<[string, readonly string[] | undefined, string | undefined, readonly string[]]>([
  ['without patterns all are offered', undefined, undefined, ['small', 'acme-large-2', 'acme-small-2']],
  ['a pattern narrows them', ['acme-large-*'], undefined, ['acme-large-2']],
  ['an alias is allowed where its family is', ['acme-small-*'], undefined, ['small', 'acme-small-2']],
  ['a pattern that is an alias allows only the alias', ['small'], undefined, ['small']],
  [
    'a name that the list does not have is offered',
    ['acme-tiny-1', 'acme-large-*'],
    undefined,
    ['acme-tiny-1', 'acme-large-2'],
  ],
  ['the own model comes first and needs no place', ['acme-large-*'], 'acme-huge', ['acme-huge', 'acme-large-2']],
  ['a known own model is not listed twice', undefined, 'acme-small-2', ['acme-small-2', 'small', 'acme-large-2']],
  ['nothing is left', ['other-*'], undefined, []],
])('[EN28] %s', (_name, models, model, expected) => expect(ids(models, model)).toEqual(expected))

test('[EN28] a model that the patterns exclude is refused with the list; an alias counts as its family', () => {
  const problem = modelChoiceProblem({ known, models: ['acme-small-*', 'odd'] })
  expect(['small', 'acme-small-9', 'odd'].map(problem)).toEqual([null, null, null])
  expect(problem('acme-large-2')).toBe(
    'The engine may not use the model "acme-large-2". It may use: acme-small-*, odd.',
  )
  expect(modelChoiceProblem({ known })('anything')).toBeNull()
})

test.each<[string, readonly string[] | undefined, string | null, string | null]>([
  ['the own model, wherever it stands', ['acme-small-*'], 'acme-huge', 'acme-huge'],
  ['the engine chooses where everything is allowed', ['acme-*'], null, null],
  ['the engine chooses without patterns', undefined, null, null],
  ['the first that is allowed', ['acme-large-*'], null, 'acme-large-2'],
  ['nothing that is known here', ['other-*'], null, null],
])('[EN29] the model of a turn without a choice: %s', (_name, models, model, expected) =>
  expect(defaultModel({ known, models, model })).toBe(expected),
)

test('[EN28] the provider gets the names behind an alias, and the own model', () => {
  expect(providerModels({ known })).toBeNull()
  expect(providerModels({ known, models: ['small', 'acme-large-*'], model: 'acme-huge' })).toEqual([
    'acme-small-*',
    'acme-large-*',
    'acme-huge',
  ])
})

test('[EN30] an unknown effort is refused with the list', () => {
  const problem = effortChoiceProblem(['low', 'high'])
  expect([problem('low'), effortChoiceProblem(undefined)('any')]).toEqual([null, null])
  expect(problem('maximal')).toBe('The engine has no effort "maximal". It has: low, high.')
})

test('[EN28] [EN30] each engine has a list of models, each once and with a title, and a list of efforts', () => {
  for (const { name, models = [], efforts = [] } of engineDescriptions) {
    const names = models.flatMap(({ id, title }) => [id, title])
    expect([name, new Set(names).size]).toEqual([name, names.length])
    expect([name, models.length > 2, efforts.slice(0, 3)]).toEqual([name, true, ['low', 'medium', 'high']])
    // An alias without its family could not be asked where the operator lists models.
    for (const { id, family } of models) expect([id, family !== undefined]).toEqual([id, !/\d/.test(id)])
  }
})
