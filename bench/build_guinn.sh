#!/bin/sh
# GuiNN as a library for `python -m bench.programs guinn` on Linux: sh bench/build_guinn.sh SOURCE FOLDER.
# SOURCE: a copy of github.com/jonkr2/GuiNN_Checkers (b12f109, version 2.06). FOLDER gets libguinn.so, its
# nets and its four-piece endings. The program is for Windows: the window and the registry are left out, a few
# lines that only its own compiler takes are changed, and its clock is processor time, so that other programs
# on the machine take nothing away from it.
set -eu
source=$(realpath "$1") && mkdir -p "$2" && folder=$(realpath "$2")
work=$(mktemp -d) && trap 'rm -r "$work"' EXIT
cp -r "$source/src/." "$work" && cp "$source/bin/Nets206.gnn" "$source/bin/database.jef" "$folder" && cd "$work"
ln -s moveGen.h movegen.h && ln -s NeuralNet neuralNet && : > conio.h
sed -i 's/\bbb\b/moves/g; s/(Moves)/(moves)/' moveGen.h
sed -i 's/inline GetJumpers/GetJumpers/' board.h
sed -i 's/^EGDB_API extern/extern/' egdb.h
sed -i 's/= unsigned char (\(.*\));/= (unsigned char)(\1);/' uncompress.h
sed -i 's/return duration_cast.*/return clock() * 1000ull \/ CLOCKS_PER_SEC;/' search.h
sed -i 's/^int WINAPI getmove/extern "C" int getmove/' gui_cb_interface.cpp
echo '#include <immintrin.h>' > intrin.h
cat > windows.h <<'END'
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
using INT = int; using UINT = unsigned; using DWORD = uint32_t; using WORD = uint16_t;
using HANDLE = void*; using HINSTANCE = void*; using HWND = void*; using HMENU = void*; using HDC = void*;
using HBITMAP = void*; using LRESULT = long; using WPARAM = unsigned long; using LPARAM = long;
using INT_PTR = long;
#define WINAPI
#define CALLBACK
#define __cdecl
#define __declspec(what)
#define INFINITE 0
#define TRUE 1
#define FALSE 0
#define _strdup strdup
inline char* _strlwr(char* text) { return text; }
template <class... Any> HANDLE CreateEvent(Any...) { return nullptr; }
template <class... Any> HANDLE CreateThread(Any...) { return nullptr; }
template <class... Any> void SetEvent(Any...) {}
template <class... Any> void ResetEvent(Any...) {}
template <class... Any> void WaitForSingleObject(Any...) {}
template <class... Any> void CloseHandle(Any...) {}
END
ln -s windows.h Windows.h
cat > settings.cpp <<'END'
#include "engine.h"
char GUI[1 << 16];
void DisplayText(const char*) {}
int get_hashsize(int*) { return 1; }
int get_book_setting(int*) { return 1; }
int get_dbpath(char*, int) { return 1; }
int get_enable_wld(int*) { return 1; }
int get_dbmbytes(int*) { return 1; }
int get_max_dbpieces(int*) { return 1; }
void save_hashsize(int) {}
void save_book_setting(int) {}
void save_dbpath(char*) {}
void save_enable_wld(int) {}
void save_dbmbytes(int) {}
void save_max_dbpieces(int) {}
void check_wld_dir(const char*, char*) {}
void init_egdb(char*) { if (!engine.dbInfo.loaded) InitializeGuiDatabases(engine.dbInfo); }
END
cat > window.cpp <<'END'
#include "engine.h"
#include "checkersGui.h"
void WindowsGUI::DoGameMove(Move) {}
void WindowsGUI::ShowErrorPopup(const char*) {}
void WindowsGUI::SetComputerColor(eColor) {}
void WindowsGUI::ThinkingMenuActive(bool) {}
void CheckersGUI::get_eval_string(const Board&, std::string&) {}
END
g++ -shared -fPIC -O3 -march=native -std=c++17 -fpermissive -w -I. -include windows.h -o "$folder/libguinn.so" \
    board.cpp checkersNN.cpp database.cpp edDatabase.cpp engine.cpp evaluate.cpp gui_cb_interface.cpp \
    movegen.cpp openingBook.cpp search.cpp transcript.cpp learning.cpp NeuralNet/NeuralNet.cpp \
    settings.cpp window.cpp -Wl,--unresolved-symbols=ignore-all
