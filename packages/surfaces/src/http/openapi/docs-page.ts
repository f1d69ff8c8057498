import type { Route } from '../router/route.ts'
import { isDescribed } from './document.ts'
import { requestSchema } from './json-schemas.ts'
import { requestExample } from './request-examples.ts'

export const docsPage = (rows: readonly Route[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Bridle</title><link rel="icon" href="data:,">
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
    .map(([status, { description }]) => `<br><code>${status}</code> ${escapeHtml(description)}`)
    .join('')}
  ${row.query ? jsonDetails('query', requestSchema(row.query)) : ''}
  ${row.body ? jsonDetails('body', requestSchema(row.body)) : ''}
  ${row.body ? jsonDetails('example of a body', requestExample(row)) : ''}
  ${Object.entries(row.answers)
    .map(([status, { body }]) => (body ? jsonDetails(`example of ${status}`, body.example) : ''))
    .join('')}
</section>`

const jsonDetails = (summary: string, value: unknown): string =>
  `<details><summary>${summary}</summary><pre>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre></details>`

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '')
