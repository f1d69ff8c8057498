import { jsonResponse } from '../answers/json-response.ts'
import { docsPageAnswer, openapiAnswer } from '../answers/server-answers.ts'
import { publicPath } from '../denials/public-path.ts'
import { get, type Route } from '../router/route.ts'
import { docsPage } from './docs-page.ts'
import { openapiDocument } from './document.ts'

export const openapiRoutes = (others: readonly Route[]): readonly Route[] => {
  const rows = (): readonly Route[] => [...others, ...own]
  let document: ReturnType<typeof openapiDocument> | null = null
  const own: readonly Route[] = [
    get('/openapi.json', {
      scope: 'observe',
      summary: 'The description of all routes, in OpenAPI',
      call: { name: 'openapi', answer: 'FabricOpenApi' },
      answers: { 200: openapiAnswer },
      handle: ({ request }) => {
        document ??= openapiDocument(rows())
        // The URL as the caller reaches it, even behind a proxy that strips a prefix.
        return jsonResponse({ ...document, servers: [{ url: publicPath(request, '') || '/' }] })
      },
    }),
    get('/docs', {
      scope: 'observe',
      summary: 'This description, to read',
      answers: { 200: docsPageAnswer },
      handle: () => new Response(docsPage(rows()), { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    }),
  ]
  return own
}
