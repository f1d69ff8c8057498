// A growing text as blocks of markdown. Blocks that are finished are never read again: only the last one can still change.
import { Lexer, type Token } from 'marked'

/** Marks of emphasis, code and links in one block. A reader tries many pairs of them: a text of nothing else would take minutes. */
const MARKS_MAX = 600
/** Quotes and items that open on one line. */
const OPENINGS_MAX = 30

export interface MarkdownBlocks {
  readonly text: string
  readonly finished: readonly Token[]
  /** The length of the text that the finished blocks cover. */
  readonly finishedChars: number
  readonly tail: readonly Token[]
}

export const emptyBlocks: MarkdownBlocks = { text: '', finished: [], finishedChars: 0, tail: [] }

/** The blocks of a text that continues the one before; of any other text, from its beginning. */
export const growBlocks = (before: MarkdownBlocks, given: string): MarkdownBlocks => {
  const text = given.replace(/\r\n?/g, '\n')
  if (text === before.text) return before
  const { finished, finishedChars } = text.startsWith(before.text) ? before : emptyBlocks
  const rest = text.slice(finishedChars)
  const tokens = blocksOf(rest)
  const last = tokens.findLastIndex(({ type }) => type !== 'space')
  const done = tokens.slice(0, Math.max(0, last))
  const raw = done.map((token) => token.raw).join('')
  // The reader of blocks may change what it read, such as tabs: then its lengths are not those of the text.
  if (done.length === 0 || !rest.startsWith(raw)) return { text, finished, finishedChars, tail: tokens }
  return {
    text,
    finished: [...finished, ...done],
    finishedChars: finishedChars + raw.length,
    tail: tokens.slice(done.length),
  }
}

/** The blocks of a whole text. Text that is made to be slow to read, such as quotes in thousands of quotes, is shown as it is. */
export const blocksOf = (text: string): readonly Token[] => {
  if (NESTED.test(text)) return [rawBlock(text)]
  try {
    const lexer = new Lexer()
    lexer.blockTokens(text, lexer.tokens)
    for (const { src, tokens } of lexer.inlineQueue) {
      if ((src.match(MARK)?.length ?? 0) > MARKS_MAX) tokens.push({ type: 'escape', raw: src, text: src })
      else lexer.inlineTokens(src, tokens)
    }
    return lexer.tokens
  } catch {
    return [rawBlock(text)]
  }
}

const NESTED = new RegExp(`^(?:[ \\t]*(?:>|[-*+][ \\t])){${OPENINGS_MAX}}`, 'm')
const MARK = /[*_~`[\]<>!&@:\\|]/g

const rawBlock = (text: string): Token => ({ type: 'html', raw: text, text, block: true, pre: false })
