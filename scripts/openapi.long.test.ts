// /openapi.json in the eyes of a linter: valid OpenAPI 3.1, and nothing that its recommended rules find. The linter is pinned in
// matrix/, and fetched when this runs.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { httpWires } from '@bridle/surfaces/all'
import { routeTable } from '@bridle/surfaces/app'
import { openapiDocument } from '@bridle/surfaces/http/openapi/document'
import { expect, test } from 'vitest'
import { fetchPinned } from './pinned-tools.ts'

interface LinterProblem {
  readonly ruleId: string
  readonly severity: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

interface Linter {
  readonly createConfig: (config: { readonly extends: readonly string[] }) => Promise<unknown>
  readonly lintFromString: (options: {
    readonly source: string
    readonly absoluteRef: string
    readonly config: unknown
  }) => Promise<readonly LinterProblem[]>
}

const lint = async (document: unknown): Promise<string[]> => {
  const fetched = fetchPinned('matrix', 'matrix')
  if ('missing' in fetched) throw new Error(fetched.missing)
  const file = createRequire(join(fetched.folder, 'package.json')).resolve('@redocly/openapi-core')
  const { createConfig, lintFromString } = (await import(file)) as Linter
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`)
}

const document = openapiDocument(routeTable(httpWires))

test('[H25] the description has no problem by the recommended rules', async () => {
  expect(await lint(document)).toEqual([])
})

test('and the linter finds what is wrong', async () => {
  const { tags: _tags, servers: _servers, ...poorer } = document
  expect(await lint(poorer)).toEqual([expect.stringMatching(/^no-empty-servers: /)])
})
