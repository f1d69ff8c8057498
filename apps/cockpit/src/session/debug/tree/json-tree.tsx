// A value as a tree. A node makes its children when it is opened, so that a large state costs nothing until somebody looks into it.
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { childCount, childrenOf, kindOf, sizeText } from './tree-node.ts'
import { isSamePath, pathText, type TreePath } from './tree-path.ts'

/** Characters of a text in a tree before it is cut. A click shows all of it. */
const TREE_TEXT_CHARS = 120
/** Children of one node that a tree shows, and with each further step. */
const TREE_CHILDREN = 100

interface JsonTreeProps {
  readonly value: unknown
  /** Levels that are open from the start. */
  readonly depth?: number
  readonly selected: TreePath | null
  readonly onSelect: (path: TreePath) => void
}

export const JsonTree = ({ value, depth = 1, selected, onSelect }: JsonTreeProps) => (
  <Children value={value} path={[]} depth={depth} selected={selected} onSelect={onSelect} />
)

interface NodeProps extends Required<JsonTreeProps> {
  readonly path: TreePath
}

const Children = ({ value, path, depth, selected, onSelect }: NodeProps) => {
  const [shown, setShown] = useState(TREE_CHILDREN)
  const more = childCount(value) - shown
  return (
    <ul className="json-tree">
      {childrenOf(value, shown).map(([name, child]) => (
        <TreeNode
          key={name}
          name={name}
          value={child}
          path={[...path, name]}
          depth={depth}
          selected={selected}
          onSelect={onSelect}
        />
      ))}
      {more > 0 && (
        <li>
          <Button look="ghost" onClick={() => setShown(shown + TREE_CHILDREN)}>
            Show more, {more} left
          </Button>
        </li>
      )}
    </ul>
  )
}

const TreeNode = ({ name, value, path, depth, selected, onSelect }: NodeProps & { readonly name: string | number }) => {
  const [isOpen, setOpen] = useState(depth > 0)
  const kind = kindOf(value)
  const isBranch = (kind === 'list' || kind === 'record') && childCount(value) > 0
  const isLong = kind === 'text' && (value as string).length > TREE_TEXT_CHARS
  const select = (): void => {
    onSelect(path)
    if (isBranch || isLong) setOpen(!isOpen)
  }
  return (
    <li>
      <button
        type="button"
        className={`tree-line${isSamePath(path, selected) ? ' on' : ''}`}
        aria-expanded={isBranch || isLong ? isOpen : undefined}
        title={pathText(path)}
        onClick={select}
      >
        {isBranch ? <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={12} /> : <span className="tree-gap" />}
        <span className="tree-name">{visibleText(String(name))}</span>
        <TreeValue value={value} isWhole={isOpen} />
      </button>
      {isBranch && isOpen && (
        <Children value={value} path={path} depth={depth - 1} selected={selected} onSelect={onSelect} />
      )}
    </li>
  )
}

const TreeValue = ({ value, isWhole }: { readonly value: unknown; readonly isWhole: boolean }) => {
  const kind = kindOf(value)
  if (kind === 'list' || kind === 'record') return <span className="t3">{sizeText(value)}</span>
  if (kind !== 'text') return <span className="tree-number">{String(value)}</span>
  const text = value as string
  const shown = isWhole ? text : text.slice(0, TREE_TEXT_CHARS)
  return (
    <span className={`tree-text${isWhole ? ' whole' : ''}`}>
      {visibleText(JSON.stringify(shown))}
      {shown.length < text.length && '…'}
    </span>
  )
}
