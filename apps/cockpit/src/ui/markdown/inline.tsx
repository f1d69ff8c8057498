// The pieces within a block, as elements: nothing is ever handed to the browser as markup.
import type { MarkedToken, Token } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { visibleText } from '../plain-text.ts'
import { withCharacters } from './entities.ts'
import { differingHost, openedAddress } from './links.ts'

/** Lists in lists in quotes: deeper ones are shown as text, for every level costs a frame of the browser's stack. */
export const DEPTH_MAX = 12

export const Inline = ({ tokens, depth = 0 }: { readonly tokens: readonly Token[]; readonly depth?: number }) =>
  tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a block have their place alone
    <Fragment key={at}>{depth > DEPTH_MAX ? visibleText(token.raw) : piece(token as MarkedToken, depth + 1)}</Fragment>
  ))

const piece = (token: MarkedToken, depth: number): ReactNode => {
  switch (token.type) {
    case 'text':
      return token.tokens ? <Inline tokens={token.tokens} depth={depth} /> : readable(token.text)
    case 'escape':
      return visibleText(token.text)
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} depth={depth} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} depth={depth} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} depth={depth} />
        </del>
      )
    case 'codespan':
      return <code>{visibleText(token.text)}</code>
    case 'br':
      return <br />
    case 'link':
      return (
        <Address href={token.href} text={token.text}>
          <Inline tokens={token.tokens} depth={depth} />
        </Address>
      )
    // A picture of another server would tell it who looks at the page: the link says where it is.
    case 'image':
      return (
        <Address href={token.href} text={token.text}>
          {readable(token.text || 'picture')}
        </Address>
      )
    case 'checkbox':
      return <input type="checkbox" checked={token.checked} disabled aria-label={token.checked ? 'done' : 'open'} />
    default:
      return visibleText(token.raw)
  }
}

interface AddressProps {
  readonly href: string
  readonly text: string
  readonly children: ReactNode
}

const Address = ({ href, text, children }: AddressProps) => {
  const address = openedAddress(href)
  if (address === null)
    return (
      <>
        {children} <span className="t3">({visibleText(href)})</span>
      </>
    )
  const host = differingHost(text, address)
  return (
    <>
      <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={visibleText(address)}>
        {children}
      </a>
      {host !== null && <span className="t3"> ({visibleText(host)})</span>}
    </>
  )
}

const readable = (text: string): string => visibleText(withCharacters(text))
