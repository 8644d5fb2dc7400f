import importSort from 'eslint-plugin-simple-import-sort'
import tseslint from 'typescript-eslint'

const unused = {argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true}

/** Packages first, then `#lib`, then the same folder; each module once. */
const importOrder = {
  plugins: {'simple-import-sort': importSort},
  rules: {
    'no-duplicate-imports': 'error',
    'simple-import-sort/imports': [
      'error',
      {groups: [['^\\u0000', '^node:', '^@?\\w', '^#lib/', '^\\.']]},
    ],
  },
}

export default tseslint.config(
  {ignores: ['dist/', 'node_modules/', 'coverage/']},
  {
    files: [
      'src/**/*.ts',
      'test/**/*.ts',
      'bench/**/*.ts',
      'simulate/**/*.ts',
      'build/*.ts',
      '*.ts',
    ],
    ...importOrder,
  },
  {linterOptions: {reportUnusedDisableDirectives: 'error'}},
  {
    files: ['src/**/*.ts', 'src/**/*.cjs'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {parserOptions: {projectService: true}},
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-control-regex': 'error',
      'no-restricted-properties': [
        'error',
        {object: 'URL', property: 'canParse', message: 'Node 20 gets it wrong: use parseUrl.'},
      ],
      '@typescript-eslint/consistent-type-imports': ['error', {fixStyle: 'inline-type-imports'}],
      '@typescript-eslint/no-deprecated': 'error',
      '@typescript-eslint/no-unused-vars': ['error', unused],
      '@typescript-eslint/only-throw-error': ['error', {allowThrowingUnknown: true}],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        {considerDefaultExhaustiveForUnions: true},
      ],
      // Interfaces are often async although one implementation never waits.
      '@typescript-eslint/require-await': 'off',
      // Objects are records of functions, which do not use `this`.
      '@typescript-eslint/unbound-method': 'off',
      // The reason of an abort signal is passed on unchanged.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', {allowThrowingUnknown: true}],
      // `new Map()` and `Object.fromEntries()` get their type from the context.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // Values from the command line and the network are checked before they become text.
      '@typescript-eslint/no-base-to-string': 'off',
    },
  },
  {
    // A thread that Node loads as text has no imports.
    files: ['src/**/*.cjs'],
    rules: {'@typescript-eslint/no-require-imports': 'off'},
  },
  {
    files: ['src/lib/client/**/*.ts', 'src/lib/cli/**/*.ts', 'src/commands/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        {name: 'fetch', message: 'It holds whole uploads in memory: use the client.'},
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts', 'simulate/**/*.ts', 'build/*.ts', '*.ts'],
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unused-vars': ['error', unused],
    },
  },
)
