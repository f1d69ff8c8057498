// A block of markdown. It renders again only when its own text changed.
import type { MarkedToken, Token, Tokens } from 'marked'
import { createElement, memo, type ReactNode } from 'react'
import { Code } from '../code.tsx'
import { visibleText } from '../plain-text.ts'
import { DEPTH_MAX, Inline } from './inline.tsx'

interface BlockProps {
  readonly token: Token
  readonly depth?: number
}

export const Block = memo(
  ({ token, depth = 0 }: BlockProps) =>
    depth > DEPTH_MAX ? <p className="md-raw">{visibleText(token.raw)}</p> : block(token as MarkedToken, depth + 1),
  (before, after) => before.token.raw === after.token.raw && before.token.type === after.token.type,
)

export const Blocks = ({ tokens, depth = 0 }: { readonly tokens: readonly Token[]; readonly depth?: number }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks only come at the end
  tokens.map((token, at) => <Block key={at} token={token} depth={depth} />)

const block = (token: MarkedToken, depth: number): ReactNode => {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return (
        <p>
          <Inline tokens={token.tokens} />
        </p>
      )
    case 'text':
      return <Inline tokens={token.tokens ?? [{ ...token, tokens: undefined }]} />
    // The page has headings of its own: those of a text come below them.
    case 'heading':
      return createElement(`h${Math.min(6, token.depth + 2)}`, null, <Inline tokens={token.tokens} />)
    case 'code':
      return <Code text={token.text} label={(token.lang ?? '').split(/\s/, 1)[0] || 'text'} />
    case 'hr':
      return <hr />
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={token.tokens} depth={depth} />
        </blockquote>
      )
    case 'list':
      return <List token={token} depth={depth} />
    case 'table':
      return <Table token={token} />
    case 'html':
      return <p className="md-raw">{visibleText(token.raw.trimEnd())}</p>
    default:
      return <Inline tokens={[token]} />
  }
}

const List = ({ token, depth }: { readonly token: Tokens.List; readonly depth: number }) => {
  const items = token.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items only come at the end
    <li key={at} className={item.task ? 'task' : undefined}>
      <Blocks tokens={item.tokens} depth={depth} />
    </li>
  ))
  return token.ordered ? <ol start={token.start === '' ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>
}

/** A wide table scrolls in its own box; the page stays as wide as it is. */
const Table = ({ token }: { readonly token: Tokens.Table }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard
  <section className="md-table" tabIndex={0} aria-label="Table">
    <table>
      <thead>
        <tr>
          {token.header.map(({ tokens, align }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have their place alone
            <th key={at} className={align ? `align-${align}` : undefined} scope="col">
              <Inline tokens={tokens} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((cells, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows only come at the end
          <tr key={row}>
            {cells.map(({ tokens, align }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have their place alone
              <td key={at} className={align ? `align-${align}` : undefined}>
                <Inline tokens={tokens} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
