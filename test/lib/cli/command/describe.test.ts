import {describe, expect, test} from 'vitest'
import {description} from '../../../../src/lib/api/description/index.js'
import {operations} from '../../../../src/lib/api/operations.js'
import {describeAll, describeNamed} from '../../../../src/lib/cli/command/describe.js'

test('the overview is the document, and names every operation and record', () => {
  const {json, text} = describeAll()
  expect(json).toBe(description)
  const shown = text(Infinity)
  for (const {operationId} of operations) expect(shown).toContain(operationId)
  for (const id of Object.keys(description.schemas)) expect(shown).toContain(id)
})

describe('a name', () => {
  test.each([
    [['files.trash'], 'files.trash'],
    [['drive.files.trash'], 'files.trash'],
    [['files', 'trash'], 'files.trash'],
    [['files', 'generate-ids'], 'files.generateIds'],
    [['files.generateIds'], 'files.generateIds'],
    [['permissions', 'getIdForEmail'], 'permissions.getIdForEmail'],
  ])('%j means the operation %s', (words, id) => {
    const {json, text} = describeNamed(words)
    expect(json).toMatchObject({id: `drive.${id}`})
    expect(text(80)).toContain(`${id}: `)
  })

  test.each(['File', 'file', 'About'])('%s means a record', name => {
    const {json} = describeNamed([name])
    expect(json).toBe(description.schemas[name[0]!.toUpperCase() + name.slice(1)])
  })

  test('that is none gets the nearest one', () => {
    expect(() => describeNamed(['files', 'trsh'])).toThrow(
      expect.objectContaining({hint: 'Did you mean files.trash?'}),
    )
    expect(() => describeNamed(['Permision'])).toThrow(
      expect.objectContaining({hint: 'Did you mean Permission?'}),
    )
    expect(() => describeNamed(['entirely-different'])).toThrow('entirely-different')
  })

  test('has tables that fit the terminal', () => {
    for (const line of describeNamed(['File']).text(80).split('\n').slice(1)) {
      expect([...line].length).toBeLessThanOrEqual(80)
    }
  })

  test.each([30, 80, Infinity])('keeps every word of an explanation, %i columns wide', width => {
    const words = (text: string) => text.split(/\s+/).join(' ')
    const shown = words(describeNamed(['files.list']).text(width))
    const {parameters} = operations.find(({operationId}) => operationId === 'files.list')!
    for (const {description = ''} of Object.values(parameters)) {
      expect(shown).toContain(words(description))
    }
  })

  test('explains on lines of its own only what does not fit beside', () => {
    expect(describeNamed(['files.trash']).text(Infinity)).toMatch(
      /^fileId +string +required +ID of the file or folder\.$/m,
    )
    expect(describeNamed(['files.trash']).text(60)).toMatch(
      /^fileId +string +required\n {4}ID of the file or folder\.\n\S/m,
    )
  })
})

test.each([40, 80, 120])('nothing is longer than %i columns', width => {
  const names = [
    ...operations.map(({operationId}) => operationId),
    ...Object.keys(description.schemas),
  ]
  const texts = [describeAll(), ...names.map(name => describeNamed([name]))]
  for (const {text} of texts) {
    for (const line of text(width).split('\n')) expect(line.length, line).toBeLessThanOrEqual(width)
  }
})

test('every operation and record can be described', () => {
  for (const {operationId} of operations) expect(describeNamed([operationId]).text(80)).toBeTruthy()
  for (const id of Object.keys(description.schemas)) {
    expect(describeNamed([id]).text(80)).toContain(id)
  }
})
