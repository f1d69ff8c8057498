// /openapi.json, from the very rows and schemas that are served, and a page to read it.
import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { type Route, route } from './route.ts'

export const openapiRoutes = (others: readonly Route[]): readonly Route[] => {
  const all = (): readonly Route[] => [...others, ...own]
  const own = docsRoutes(all)
  return own
}

const docsRoutes = (rows: () => readonly Route[]): readonly Route[] => [
  route({
    method: 'get',
    path: '/openapi.json',
    scope: 'observe',
    summary: 'This description',
    answers: { 200: 'OpenAPI 3.1' },
    handle: () => Response.json(openapiDocument(rows())),
  }),
  route({
    method: 'get',
    path: '/docs',
    scope: 'observe',
    summary: 'This description, to read',
    answers: { 200: 'A page' },
    handle: () => new Response(docsPage(rows()), { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  }),
]

export const openapiDocument = (rows: readonly Route[]) => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const row of rows.filter(isDescribed)) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [row.method]: operation(row) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Bridle', version: '1', description: 'One durable session between any agent and any frontend.' },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema },
    },
  }
}

/** A row that answers nothing good only names a mistake. */
const isDescribed = (row: Route): boolean => Object.keys(row.answers).length > 0

const operation = (row: Route) => ({
  summary: row.summary,
  operationId: `${row.method}${row.path.replaceAll(/[^A-Za-z]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
  ...(row.scope !== 'open' && { security: [{ bearer: [] }], 'x-scope': row.scope }),
  parameters: [
    ...[...row.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...queryParameters(row.query),
  ],
  ...(row.body && { requestBody: { content: { 'application/json': { schema: schemaOf(row.body) } } } }),
  responses: {
    ...Object.fromEntries(Object.entries(row.answers).map(([status, description]) => [status, { description }])),
    default: {
      description: 'An error',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  },
})

const queryParameters = (query: GenericSchema | undefined) => {
  if (!query) return []
  const { properties = {}, required = [] } = schemaOf(query) as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** The schema of the input: JSON Schema cannot express our transforms and checks. */
const schemaOf = (schema: GenericSchema) => {
  const { $schema, ...rest } = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' })
  return rest
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      oneOf: [
        { type: 'string' },
        {
          type: 'object',
          required: ['type', 'message'],
          properties: { type: { type: 'string' }, message: { type: 'string' } },
        },
      ],
    },
  },
}

const docsPage = (rows: readonly Route[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Bridle</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2430; }
  section { border-top: 1px solid #d9dee6; padding: .8rem 0; } code { font: 13px ui-monospace, monospace; }
  .method { display: inline-block; width: 4.5rem; font-weight: 600; color: #2457c5; } .scope { color: #6a7485; }
  pre { background: #f4f6f9; padding: .8rem; overflow: auto; border-radius: 6px; } details { margin-top: .4rem; }
</style>
<h1>Bridle</h1><p>The same, for machines: <a href="openapi.json">/openapi.json</a></p>
${rows.filter(isDescribed).map(routeSection).join('\n')}
</html>`

const routeSection = (
  row: Route,
): string => `<section><code><span class="method">${row.method.toUpperCase()}</span>${escapeHtml(row.path)}</code>
  <span class="scope">${row.scope}</span><br>${escapeHtml(row.summary)}
  ${Object.entries(row.answers)
    .map(([status, text]) => `<br><code>${status}</code> ${escapeHtml(text)}`)
    .join('')}
  ${row.body ? `<details><summary>body</summary><pre>${escapeHtml(JSON.stringify(schemaOf(row.body), null, 2))}</pre></details>` : ''}
  ${row.query ? `<details><summary>query</summary><pre>${escapeHtml(JSON.stringify(schemaOf(row.query), null, 2))}</pre></details>` : ''}
</section>`

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '')
