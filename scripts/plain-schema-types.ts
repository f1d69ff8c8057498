// The declarations that tsc emits for a schema hold the schema library's own types, many levels deep: compilers give up on them
// (TS2589), and a hover shows nothing that a person reads. Here each schema becomes the plain type of its values, and the
// environment of a process a plain object.
import {
  childrenOf,
  type DeclarationFile,
  docBefore,
  type Node,
  type Replacement,
  replaced,
  textOf,
} from './declaration-syntax.ts'

/** Schema constants by `file#name`: each becomes a type of the same name. */
export const schemaConstants = (files: Iterable<DeclarationFile>): Set<string> => {
  const found = new Set<string>()
  for (const file of files)
    for (const { name, type } of constantsOf(file))
      if (isSchema(type, file) || isTableOfSchemas(type, file)) found.add(`${file.path}#${name}`)
  return found
}

/** The file with plain types. `isConstant` answers for a name as it is used inside the file. */
export const withPlainTypes = (file: DeclarationFile, isConstant: (name: string) => boolean): string => {
  const changes: Replacement[] = []
  for (const { name, type, statement } of constantsOf(file)) {
    if (!isConstant(name)) continue
    const prefix = statement.type === 'ExportNamedDeclaration' ? 'export ' : ''
    changes.push({ ...rangeOf(statement), text: `${prefix}type ${name} = ${indented(plain(type, file))};` })
  }
  const visit = (node: Node): void => {
    if (changes.some(({ start, end }) => start <= node.start && node.end <= end)) return
    const inferred = inferredType(node, file)
    if (inferred)
      changes.push({ ...rangeOf(node), text: indented(plain(inferred.of, { ...file, side: inferred.side })) })
    else if (node.type === 'TSTypeReference' && textOf(file, node) === 'NodeJS.ProcessEnv')
      changes.push({ ...rangeOf(node), text: ENVIRONMENT })
    else if (node.type === 'TSTypeQuery' && isConstant(textOf(file, node.exprName as Node)))
      changes.push({ ...rangeOf(node), text: textOf(file, node.exprName as Node) })
    else for (const child of childrenOf(node)) visit(child)
  }
  visit(file.program)
  return replaced(file.text, changes)
}

/** `NodeJS.ProcessEnv` as it is: a project without Node's types has no such name. */
const ENVIRONMENT = '{ [name: string]: string | undefined }'

const rangeOf = ({ start, end }: Node) => ({ start, end })

const constantsOf = (file: DeclarationFile): { name: string; type: Node; statement: Node }[] =>
  file.program.body.flatMap((statement) => {
    const declaration = (statement.declaration as Node | undefined) ?? statement
    if (declaration.type !== 'VariableDeclaration') return []
    return (declaration.declarations as Node[]).flatMap(({ id }) => {
      const { name, typeAnnotation } = id as Node & { name: string; typeAnnotation?: { typeAnnotation: Node } }
      return typeAnnotation ? [{ name, type: typeAnnotation.typeAnnotation, statement }] : []
    })
  })

/** `Name` of `v.Name<…>`, where `v` is the schema library. */
const libraryName = (node: Node, file: DeclarationFile): string | null => {
  const name = node.type === 'TSTypeReference' ? (node.typeName as Node) : null
  if (name?.type !== 'TSQualifiedName') return null
  return (name.left as { name?: string }).name === libraryOf(file) ? (name.right as { name: string }).name : null
}

const isSchema = (node: Node, file: DeclarationFile): boolean =>
  /Schema(WithPipe)?$/.test(libraryName(node, file) ?? '')

const isTableOfSchemas = (node: Node, file: DeclarationFile): boolean => {
  const members = node.type === 'TSTypeLiteral' ? (node.members as Node[]) : []
  return members.length > 0 && members.every((member) => isSchema(memberType(member), file))
}

const inferredType = (node: Node, file: DeclarationFile): { of: Node; side: Side } | null => {
  const name = libraryName(node, file)
  const [of] = argumentsOf(node)
  if (!of || (name !== 'InferOutput' && name !== 'InferInput')) return null
  if (name === 'InferOutput') return { of, side: 'output' }
  // A constant becomes the output type of its schema, so the input type is written at the place that names it.
  const constant = constantsOf(file).find((each) => `typeof ${each.name}` === textOf(file, of))
  if (!constant) throw new Error(`${file.path}: InferInput is known for a schema of the same file only.`)
  return { of: constant.type, side: 'input' }
}

const argumentsOf = (node: Node): Node[] => ((node.typeArguments as { params: Node[] } | null)?.params ?? []) as Node[]
const memberType = (member: Node): Node =>
  (member.typeAnnotation as { typeAnnotation: Node } | null)?.typeAnnotation ?? member

type Side = 'input' | 'output'
/** A file, and the side of a schema that is wanted: the type of its input, or of its output (the default). */
type SidedFile = DeclarationFile & { readonly side?: Side }

/** The type of the values of a schema type; any other type as it is. */
const plain = (node: Node, file: SidedFile): string => {
  if (node.type === 'TSTypeLiteral') return `{\n${(node.members as Node[]).map((each) => member(each, file)).join('')}}`
  if (node.type === 'TSTypeQuery') return textOf(file, node.exprName as Node)
  if (node.type === 'TSParenthesizedType') return plain(node.typeAnnotation as Node, file)
  if (node.type === 'TSIndexedAccessType')
    return `${plain(node.objectType as Node, file)}[${textOf(file, node.indexType as Node)}]`
  const name = libraryName(node, file)
  if (name === null) return textOf(file, node)
  const make = shapes[name]
  if (!make)
    throw new Error(`${file.path}: no plain type is known for ${name}. Add it to scripts/plain-schema-types.ts.`)
  return make(argumentsOf(node), file)
}

/** By the depth of braces; a comment keeps its own. */
const indented = (text: string): string => {
  let depth = 0
  return text
    .split('\n')
    .map((line) => {
      if (/^\s*(\/\*|\*)/.test(line)) return `${'    '.repeat(depth)}${line.trim().replace(/^\*/, ' *')}`
      if (line.startsWith('}')) depth -= 1
      const made = `${'    '.repeat(depth)}${line}`
      if (line.endsWith('{')) depth += 1
      return made
    })
    .join('\n')
}

type Shape = (args: readonly Node[], file: SidedFile) => string

const first: Shape = ([node], file) => plain(node as Node, file)
/** The output type of a schema or of a step; without a second type it is the input type. */
const output: Shape = ([input, type = input], file) => textOf(file, type as Node)
const constant =
  (text: string): Shape =>
  () =>
    text
const orElse =
  (text: string): Shape =>
  (args, file) =>
    hasDefault(args, file) ? first(args, file) : `${first(args, file)} | ${text}`
/** A schema with a default gives it where a value is missing, so what comes out is never missing. */
const hasDefault: (...args: Parameters<Shape>) => boolean = ([, node], file) =>
  file.side !== 'input' && node !== undefined && textOf(file, node) !== 'undefined'
const elements = (node: Node): Node[] => {
  const tuple = node.type === 'TSTypeOperator' ? (node.typeAnnotation as Node) : node
  return tuple.elementTypes as Node[]
}
const loose = (entries: string): string => `${entries.slice(0, -1)}[key: string]: unknown;\n}`

const shapes: Readonly<Record<string, Shape>> = {
  StringSchema: constant('string'),
  NumberSchema: constant('number'),
  BooleanSchema: constant('boolean'),
  UnknownSchema: constant('unknown'),
  AnySchema: constant('any'),
  NullSchema: constant('null'),
  NeverSchema: constant('never'),
  LiteralSchema: first,
  CustomSchema: first,
  GenericSchema: (args, file) => output(file.side === 'input' ? args.slice(0, 1) : args, file),
  PicklistSchema: ([options], file) =>
    options?.type === 'TSArrayType'
      ? `(${textOf(file, options)})[number]`
      : elements(options as Node)
          .map((each) => textOf(file, each))
          .join(' | '),
  ArraySchema: (args, file) => `Array<${first(args, file)}>`,
  TupleSchema: ([items], file) => `[${elements(items as Node).map((each) => plain(each, file))}]`,
  RecordSchema: ([key, value], file) => `{ [key in ${plain(key as Node, file)}]: ${plain(value as Node, file)} }`,
  UnionSchema: ([options], file) =>
    elements(options as Node)
      .map((each) => plain(each, file))
      .join(' | '),
  VariantSchema: ([, options], file) => shapes.UnionSchema!([options as Node], file),
  OptionalSchema: orElse('undefined'),
  ExactOptionalSchema: first,
  NullableSchema: orElse('null'),
  NullishSchema: orElse('null | undefined'),
  ObjectSchema: first,
  StrictObjectSchema: first,
  LooseObjectSchema: (args, file) => loose(first(args, file)),
  SchemaWithPipe: ([steps], file) => {
    const [schema, ...actions] = elements(steps as Node)
    const changing = actions.findLast((each) => /^(Raw)?TransformAction$/.test(libraryName(each, file) ?? ''))
    return changing && file.side !== 'input' ? output(argumentsOf(changing), file) : plain(schema as Node, file)
  },
}

/** With its doc comment; a schema that takes `undefined` makes the key optional. */
const member = (node: Node, file: SidedFile): string => {
  const type = memberType(node)
  const name = libraryName(type, file) ?? ''
  const isOptional = /^(Optional|ExactOptional|Nullish)Schema$/.test(name) && !hasDefault(argumentsOf(type), file)
  const doc = docBefore(file, node)
  return `${doc ? `${doc.text}\n` : ''}${textOf(file, node.key as Node)}${isOptional ? '?' : ''}: ${plain(type, file)};\n`
}

/** The name by which a file knows the schema library; null where it does not import it. */
const libraryOf = ({ text }: DeclarationFile): string | null =>
  /^import (?:type )?\* as (\w+) from 'valibot'/m.exec(text)?.[1] ?? null
