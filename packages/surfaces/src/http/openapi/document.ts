// /openapi.json is generated from the rows and schemas that the server itself uses.

import { present } from '@bridle/events/json'
import type { GenericSchema } from 'valibot'
import type { Route } from '../router/route.ts'
import { componentSchemas, type JsonSchema, requestSchema } from './json-schemas.ts'
import { parametersOf, sharedParameters } from './parameters.ts'
import { requestExample } from './request-examples.ts'
import { errorSchemas, responsesOf, sharedResponses, warningsSchema } from './responses.ts'
import { tagDescriptions, tagOf } from './tags.ts'

export const openapiDocument = (rows: readonly Route[]) => {
  const paths: Record<string, Record<string, unknown>> = {}
  const described = rows.filter(isDescribed)
  for (const row of described) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [row.method]: operation(row) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bridle',
      version: '1',
      description: 'One durable session between any agent and any frontend.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tagDescriptions.filter(({ name }) => described.some((row) => tagOf(row) === name)),
    paths,
    components: {
      securitySchemes,
      parameters: usedIn(paths, 'parameters', sharedParameters),
      responses: usedIn(paths, 'responses', sharedResponses()),
      schemas: {
        ...componentSchemas([...described.flatMap(answerSchemas), ...errorSchemas]),
        Warnings: warningsSchema,
      },
    },
  }
}

/** A row without answers exists only to explain a caller's mistake. */
export const isDescribed = (row: Route): boolean => Object.keys(row.answers).length > 0

const operation = (row: Route): JsonSchema => ({
  summary: row.summary,
  operationId: `${row.method}${row.path.replaceAll(/[^A-Za-z]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
  tags: [tagOf(row)],
  security: row.scope === 'open' ? [] : Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  ...(row.scope !== 'open' && { 'x-scope': row.scope }),
  parameters: parametersOf(row),
  ...(row.body && {
    requestBody: {
      content: {
        'application/json': { schema: requestSchema(row.body), ...present({ example: requestExample(row) }) },
      },
    },
  }),
  ...(row.fileBytesMax !== undefined && {
    requestBody: { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
  }),
  responses: responsesOf(row),
})

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  token: { type: 'apiKey', in: 'query', name: 'token', description: 'A token, for callers that cannot send headers.' },
  ticket: { type: 'apiKey', in: 'query', name: 'ticket', description: 'A one-use ticket of `POST /tickets`.' },
} as const

const answerSchemas = ({ answers }: Route): readonly GenericSchema[] =>
  Object.values(answers)
    .flatMap(({ body, stream }) => [body, stream])
    .flatMap((body) => (body ? [body.schema, ...(body.data ? [body.data] : [])] : []))

/** Only components that the described operations reference. */
const usedIn = (
  paths: object,
  kind: 'parameters' | 'responses',
  components: Readonly<Record<string, JsonSchema>>,
): Readonly<Record<string, JsonSchema>> => {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  )
}
